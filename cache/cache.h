// The cache of kernels, verified variants, evidence, lineage and trials: one SQLite file that many
// programs read and write at once. The optimizer and the daemon write it, builds only read it.
//
// Every write is one IMMEDIATE transaction: after kill -9 the file holds all of a write or nothing
// of it. A Cache is used by one thread at a time; threads and processes each open their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/error.h"
#include "cache/location.h"
#include "cache/types.h"

namespace geak::cache {

class Cache {
 public:
  // $GEAK_CACHE_SIZE in MiB overrides it.
  static constexpr std::uint64_t kDefaultSizeLimit = 256ull << 20;

  // For builds and reports: changes nothing on disk and never throws for what is wrong with the
  // file. Where it is missing, damaged, unreadable or of another version, problem() says so in one
  // line ("" when it is just missing) and every query finds nothing.
  static Cache to_read(const std::filesystem::path& path = default_path());

  // For the optimizer: makes what is missing and moves a damaged file aside (notice() then says
  // where to). Throws CacheError when the cache can't be written; the text names the remedy.
  // Least recently seen keys are dropped where the file is over its size limit.
  static Cache to_write(const std::filesystem::path& path = default_path());

  Cache(Cache&&) noexcept;
  Cache& operator=(Cache&&) noexcept;
  ~Cache();

  const std::filesystem::path& path() const;
  const std::string& problem() const;
  const std::string& notice() const;

  // The verified variant of the highest gain above 1 with evidence of exactly this type.
  std::optional<VerifiedVariant> best(const std::string& key_digest,
                                      const EvidenceType& type) const;
  // All verified variants of a key with all their evidence, the highest gain first.
  std::vector<VerifiedVariant> verified(const std::string& key_digest) const;
  // Evidence of a variant under every key, the newest first.
  std::vector<VerifiedVariant> verified_of_name(const std::string& variant_name) const;
  std::optional<Search> search(const std::string& key_digest, const EvidenceType& type) const;
  // Everything that was tried, in the order of time.
  std::vector<Trial> trials(const std::string& key_digest, const EvidenceType& type) const;
  std::optional<Key> key(const std::string& digest) const;
  // What was seen under this name, the last seen first. With an empty `symbol` or `source` all.
  std::vector<KnownKey> known_keys(const KernelName& kernel) const;

  // The writes below throw CacheError for a cache that was opened to read, or when they fail.

  // Must come before anything else about the key; refreshes its place in eviction's order.
  void remember(const KernelName& kernel, const Key& key);
  // Keeps a variant that a trial accepted, with its evidence and the trial itself. Evidence of the
  // same variant and type is replaced.
  void add_verified(const std::string& key_digest, const Variant& variant,
                    const Evidence& evidence);
  // Keeps a candidate that lost or failed. Not for accepted ones: add_verified does those.
  void add_trial(const std::string& key_digest, const EvidenceType& type, const Trial& trial);
  void set_search(const std::string& key_digest, const EvidenceType& type, const Search& search);
  // Takes a variant back (it stopped compiling, a later check failed) and keeps the reason as its
  // trial, so that it is not found again.
  void withdraw(const std::string& key_digest, const std::string& variant_digest,
                const std::string& reason);
  // Drops least recently seen keys, all but the newest, until the file's used pages fit `bytes`.
  // Returns how many were dropped.
  int evict_to(std::uint64_t bytes);

 private:
  struct State;
  explicit Cache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace geak::cache
