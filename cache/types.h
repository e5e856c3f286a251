// What the cache keeps: plain values, no database in sight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace geak::cache {

// Where a kernel stands. Two builds of one checkout that see the same source share a row.
struct KernelName {
  std::string source;     // absolute path of the file that defines it
  std::string qualified;  // "detail::scan"
  std::string symbol;     // mangled device symbol of the instantiation
};

// One named part of a key ("source", "callees", "flags", ...), kept so that a person can be told
// which one changed.
struct KeyPart {
  std::string name;
  std::string digest;
  std::string detail;  // for people, may be empty: what the digest was taken of, shortened
  bool operator==(const KeyPart&) const = default;
};

// Says everything that could change the answer (docs/ARCHITECTURE.md, Key). `digest` covers all
// parts and is what look-ups use.
struct Key {
  std::string digest;
  std::vector<KeyPart> parts;
};

// Modelled and measured times are never mixed: every query names the type that it wants.
struct EvidenceType {
  enum class Kind { modelled, measured };
  Kind kind = Kind::modelled;
  std::string where;  // modelled: architecture ("gfx90a"); measured: the device's name

  bool operator==(const EvidenceType&) const = default;
  std::string text() const;  // "modelled(gfx90a)", "measured(AMD Instinct MI300X)"
  // Throws CacheError when `text` is neither form.
  static EvidenceType parse(const std::string& text);
};

struct Verification {
  bool emulated = true;
  std::string where;  // architecture when emulated, else the device's name

  bool operator==(const Verification&) const = default;
  std::string text() const;  // "verified(emulated gfx90a)", "verified(AMD Instinct MI300X)"
  static Verification parse(const std::string& text);
};

// A new kernel beside the original, as text (docs/ARCHITECTURE.md, Variant). The cache neither
// reads nor changes `launch` and `recipe`: they are JSON of their owners.
struct Variant {
  std::string name;    // "<kernel>__geak_<8 hex>"
  std::string digest;  // hex, of text, launch and guard
  std::string text;
  std::string launch;
  std::string guard;
  std::string recipe;
  std::string generator;  // "rules", later "llm:<model>"
  std::string parent;     // digest of the variant it was derived from; empty: the original
};

// What a trial that accepted the variant proved. Times are the sum over the recorded launches.
struct Evidence {
  EvidenceType type;
  Verification verification;
  double original_ns = 0;
  double variant_ns = 0;
  double gain = 1;        // original_ns / variant_ns
  double noise = 0;       // relative spread seen in that run; 0 for a deterministic model
  int inputs_tried = 0;   // recorded and fresh inputs on which both agreed
  std::string limiter;    // counter that bounds the original ("memory transactions", ...)
  std::string counters;   // JSON {"original": {...}, "variant": {...}}
  std::string code_hash;  // of the machine code that was tried; empty when not taken
};

// One candidate that was tried, won or lost, so that nobody tries it again.
struct Trial {
  std::string variant_digest;
  std::string recipe;     // JSON
  std::string outcome;    // "accepted", "slower", "rejected", "does not compile", "failed"
  std::string reason;     // one line for people
  double gain = 0;        // 0 where no time was taken
  std::int64_t time = 0;  // seconds since 1970, set by the cache
};

// How far a search over one key and evidence type came.
struct Search {
  // "interrupted": stopped, or something stood in its way; "out_of_time": its budget ended it, a
  // rerun goes on; "finished": nothing promising is left to try.
  enum class State { running, interrupted, out_of_time, finished };
  State state = State::running;
  std::string outcome;  // "improved", "no gain", or why it could not be done; "" where unknown yet
  int trials = 0;
  double seconds = 0;  // spent so far, over all resumed runs
  std::uint64_t seed = 0;
  std::int64_t updated = 0;  // seconds since 1970, set by the cache
};

struct VerifiedVariant {
  Variant variant;
  Evidence evidence;
  std::int64_t created = 0;  // seconds since 1970
};

// One keyed state of a kernel that was seen, the newest first where several are listed.
struct KnownKey {
  KernelName kernel;
  Key key;
  std::int64_t last_seen = 0;
};

}  // namespace geak::cache
