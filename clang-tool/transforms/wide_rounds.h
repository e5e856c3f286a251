#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/side_by_side.h"

namespace geak::clang_tool::transforms {

/// How many neighbours a work-item takes.
struct WideShape {
  unsigned elements = 8;   ///< at a time
  unsigned in_flight = 1;  ///< so many times in a round, loads before everything else
  /// Arrays that are not aligned alike are reached together all the same: fast where the hardware
  /// takes wide accesses at any address.
  bool anywhere = false;
};

/// An array's element of the round, wherever the round names it.
struct WideGroup {
  RoundElement element;
  std::vector<MemoryAccess> accesses = {};
  bool read = false, written = false;
  std::vector<std::string> certain_if = {};  ///< conditions under which every round touches it
};

/// The arrays that can be read and stored several elements at a time.
std::vector<WideGroup> wide_groups(const KernelView& kernel, const ElementRounds& rounds);

/// Writes rounds so that a work-item takes neighbouring elements together.
class WideRounds {
 public:
  static constexpr std::uint64_t widest_access = 16;

  /// `number` tells this one's names from those of others in the kernel.
  WideRounds(const KernelView& kernel, const ElementRounds& rounds, std::vector<WideGroup> groups,
             WideShape shape, unsigned number);

  /// The loop, wide where addresses allow it; nothing where its text stands in a macro.
  std::optional<std::string> loop() const;
  /// What follows the declaration of a single item's number; the number becomes one of several.
  std::optional<std::string> items() const;

 private:
  /// At a group's widest alignment, or where an element of it may lie.
  enum class Lie { aligned, anywhere };

  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }
  /// Whether there is a form for what is not aligned.
  bool loose() const { return shape_.anywhere && groups_.size() > 1; }
  std::string elements() const { return std::to_string(shape_.elements); }
  std::string pack(std::size_t group) const;
  std::string word(std::size_t group) const;
  std::string copy(std::size_t group, const std::string& to, const std::string& from) const;
  std::string values(std::size_t group) const;
  std::uint64_t alignment(const WideGroup& group) const;
  const WideGroup& anchor() const;
  std::optional<std::string> bound() const;
  std::string packs() const;
  std::string head() const;
  std::string aligned(const std::string& from) const;
  std::vector<std::string> touched_if() const;
  std::string set_begin(unsigned sets) const;
  std::string for_each(const std::string& counter, unsigned times, const std::string& body) const;
  std::string round(unsigned sets, Lie lie) const;
  std::string rounds(Lie lie) const;
  std::string number(const std::string& value) const;
  std::string body_in_registers() const;
  std::string body(const TextEdits& edits) const;

  const KernelView& kernel_;
  const ElementRounds& rounds_;
  SideBySide elements_;
  std::vector<WideGroup> groups_;
  WideShape shape_;
  std::string suffix_, type_;
};

}  // namespace geak::clang_tool::transforms
