#pragma once

#include <string>
#include <vector>

#include "../project.h"
#include "clang-tool/transforms/session.h"

namespace geak::clang_tool::transforms::testing {

SeenLaunch launch(support::Extent grid, support::Extent block,
                  std::vector<std::optional<std::int64_t>> arguments = {});

/// One launch of the original, and the arguments as C++ that may make memory by
/// `buffer<T>(number, count, lowest, highest)`: pseudo-random values that the number decides.
struct SampleRun {
  SeenLaunch seen;
  std::string arguments;
};

// Programs that hipcc makes cannot load an emulator that was built with sanitizers.
#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr bool kProgramsRun = false;
#else
constexpr bool kProgramsRun = true;
#endif

/// A unit with one kernel, and the transforms of it.
class KernelUnderTest {
 public:
  /// `source` follows an include of HIP's header.
  KernelUnderTest(const std::string& source, const std::string& kernel,
                  std::vector<SeenLaunch> seen = {}, std::vector<std::string> arguments = {});

  /// Text of the variant that the recipe makes; fails the test where it is refused or where clang
  /// does not compile it for gfx90a.
  Variant variant(const std::vector<RecipeStep>& recipe);
  std::string text(const std::vector<RecipeStep>& recipe) { return variant(recipe).text; }
  /// Runs a program of the unit, the variant and `main_text` on the emulated GPU; fails the test
  /// where it does not compile, exits with anything but 0 or reaches beyond an allocation.
  /// `main_text` calls the variant VARIANT, and has `on_device(vector)` and `same(device_a,
  /// device_b, count)`.
  void run(const Variant& variant, const std::string& main_text);
  /// Launches original and variant on equal memory; fails the test where it differs afterwards: in
  /// any bit, or with a tolerance by more than that part of the largest number of a buffer. Fails
  /// it, too, where a trial's gate would not let the variant pass.
  void run_alike(const Variant& variant, const std::vector<SampleRun>& runs, double tolerance = 0);
  /// Reason of the refusal; empty where the recipe applies.
  std::string refusal(const std::vector<RecipeStep>& recipe);
  Session& session() { return session_; }

 private:
  std::string name_, source_;
  clang_tool::testing::Project project_;
  CompileCommand command_;
  Session session_;
};

}  // namespace geak::clang_tool::transforms::testing
