#pragma once

#include <cstdint>
#include <string>

namespace geak::clang_tool::transforms {

/// Text that loads neighbouring bytes from any address by aligned accesses: the aligned pieces that
/// cover them, out of which they are shifted. Every piece holds at least one wanted byte; what else
/// the pieces hold must be readable, too.
///
/// Rejected: the last piece of one set as the first of the next one, which lies with another
/// work-item (it hits in the cache); 128-bit shifts, of which compilers make twice the
/// instructions.
class CoveringLoads {
 public:
  /// `bytes` wanted at a time by accesses of `access` bytes; addresses are multiples of `placed`.
  /// `tag` tells the names from those of others.
  CoveringLoads(std::uint64_t bytes, std::uint64_t access, std::uint64_t placed, std::string tag)
      : bytes_(bytes), access_(access), placed_(placed), tag_(std::move(tag)) {}

  /// Pieces are made of words of four bytes.
  bool possible() const { return access_ >= word_bytes && access_ <= 16; }
  /// Defines the pieces' types; for where the address does not matter.
  std::string types() const;
  /// Defines how far `address` lies behind an aligned one: the same for the addresses of all sets.
  std::string shift(const std::string& address) const;
  /// Declares room for `sets` sets.
  std::string room(unsigned sets) const;
  /// Statements that load the set number `set` from `address`.
  std::string load(const std::string& address, const std::string& set) const;
  /// Statements that put the wanted bytes of a set into `values`, which lies as aligned as a piece.
  std::string take(const std::string& values, const std::string& set) const;

 private:
  static constexpr std::uint64_t word_bytes = 4;
  std::string name(const std::string& what) const { return "geak_" + what + tag_; }
  std::uint64_t words_of_piece() const { return access_ / word_bytes; }
  std::uint64_t words() const { return (bytes_ + access_) / word_bytes; }

  std::uint64_t bytes_, access_, placed_;
  std::string tag_;
};

}  // namespace geak::clang_tool::transforms
