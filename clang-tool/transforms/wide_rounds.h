#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/covering_loads.h"
#include "clang-tool/transforms/side_by_side.h"

namespace geak::clang_tool::transforms {

/// How many neighbours a work-item takes.
struct WideShape {
  unsigned elements = 8;   ///< at a time
  unsigned in_flight = 1;  ///< so many times in a round, loads before everything else
  /// How arrays that are not aligned alike are reached together all the same.
  enum class Anywhere {
    no,
    direct,  ///< fast where the hardware takes wide accesses at any address
    /// What is only read by aligned accesses that cover it, the rest directly: fast wherever what
    /// is stored can be aligned.
    shifted,
  };
  Anywhere anywhere = Anywhere::no;
};

/// An array's element of the round, wherever the round names it.
struct WideGroup {
  RoundElement element;
  std::vector<MemoryAccess> accesses = {};
  bool read = false, written = false;
  std::vector<std::string> certain_if = {};  ///< conditions under which every round touches it
};

/// Bytes of one access to a group's elements.
std::uint64_t access_bytes(const WideGroup& group, const WideShape& shape);

/// How a group's elements are loaded by accesses that cover them; nothing where they must not be:
/// neighbours of what a round stores are no longer what they were, and other work-items'.
std::optional<CoveringLoads> covering_loads(const KernelView& kernel, const WideGroup& group,
                                            const WideShape& shape, std::string tag);

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
  /// At a group's widest alignment, or where an element of it may lie: all groups, or all but the
  /// anchor.
  enum class Lie { aligned, anywhere, anchored };

  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }
  /// Whether there is a form for what is not aligned.
  bool loose() const { return shape_.anywhere != WideShape::Anywhere::no && groups_.size() > 1; }
  bool covers() const { return loose() && shape_.anywhere == WideShape::Anywhere::shifted; }
  std::string elements() const { return std::to_string(shape_.elements); }
  std::string pack(std::size_t group) const;
  std::string stored(std::size_t group) const;
  std::string word(std::size_t group) const;
  std::string copy(std::size_t group, const std::string& to, const std::string& from) const;
  std::string values(std::size_t group) const;
  std::uint64_t alignment(const WideGroup& group) const { return access_bytes(group, shape_); }
  const WideGroup& anchor() const;
  std::optional<CoveringLoads> covering(std::size_t group) const;
  bool lies_aligned(std::size_t group, Lie lie) const;
  std::string shifts(const std::string& from) const;
  std::optional<std::string> bound() const;
  std::string packs() const;
  std::string head() const;
  std::string aligned(const WideGroup& group, const std::string& from) const;
  std::string all_aligned(const std::string& from) const;
  std::string loose_loop(const std::string& touched) const;
  std::string loose_items(const std::string& room) const;
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
