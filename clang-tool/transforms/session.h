#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"
#include "clang-tool/extract.h"
#include "clang-tool/transforms/draft.h"
#include "clang-tool/transforms/guard_truths.h"
#include "clang-tool/transforms/seen_launch.h"
#include "clang-tool/variant.h"

namespace geak::clang_tool::transforms {

struct KernelView;

/// The kernel that is to be made faster, as one unit compiles it.
struct Subject {
  CompileCommand command;
  std::string architecture;  ///< target id of the device pass; empty: the command's first
  std::string kernel;        ///< qualified name, without template arguments
  /// Of the instantiation, as `template_arguments()` prints them; empty for ordinary kernels.
  std::vector<std::string> template_arguments;
  std::vector<SeenLaunch> seen;  ///< may be empty: what needs a launch then refuses
};

/// A step that applies now.
struct TransformOption {
  RecipeStep step;
  std::string summary;
};

/// Either a variant or why there is none.
struct ApplyResult {
  std::optional<Variant> variant;  ///< finished
  std::string refusal;             ///< `<transform>: <reason>`; empty where there is a variant

  explicit operator bool() const { return variant.has_value(); }
};

/// A step that is several steps: {"transform": "sequence", "parameters": {"steps": [...]}}. Offered
/// where one transform makes room for another and neither gains anything alone.
inline constexpr const char* sequence_step = "sequence";

/// Transforms of one kernel. Steps compose in sequence; between two steps the whole unit is parsed
/// again with the variant's text in it, so that every check is on a real AST. What was applied
/// before is remembered: a recipe that extends another one costs one parse.
class Session {
 public:
  /// Throws std::runtime_error where the unit cannot be parsed, has no such kernel, or the kernel
  /// cannot have a variant beside it (defined by a macro, a class's member).
  explicit Session(Subject subject);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Steps that apply after `recipe`, the most promising first. Empty where the recipe itself does
  /// not apply. `refusals`, if given, gets `<transform>: <reason>` of those that do not.
  std::vector<TransformOption> options(const std::vector<RecipeStep>& recipe = {},
                                       std::vector<std::string>* refusals = nullptr);

  /// The same without sequences of steps, in the transforms' order.
  std::vector<TransformOption> single_options(const std::vector<RecipeStep>& recipe,
                                              std::vector<std::string>* refusals = nullptr);

  /// Throws nlohmann::json::exception for parameters of the wrong form.
  ApplyResult apply(const std::vector<RecipeStep>& recipe);

  /// The unit's file with the variant after the original, for compiling it: by absolute path.
  std::map<std::string, std::string> contents_with(const Variant& variant) const;
  /// The file that defines the kernel.
  const std::string& file() const { return file_; }

 private:
  /// A search goes on from the same few recipes again and again: these are not parsed anew. Few,
  /// since each keeps a whole unit in memory.
  struct ParsedUnit {
    std::string text;  ///< of the unit's file
    std::shared_ptr<const TranslationUnit> unit;
  };
  static constexpr std::size_t kept_units = 4;

  struct State {
    Draft draft;
    std::string refusal;  ///< not empty: the recipe ends here
  };

  void take_original();
  /// Finds out about the guards of `drafts` by one parse, where there are new ones.
  void learn(const std::vector<const Draft*>& drafts);
  /// Takes back options of `recipe` whose guards hold at no launch seen.
  void drop_idle(const std::vector<RecipeStep>& recipe, std::vector<TransformOption>& found,
                 std::vector<std::string>* refusals);
  void add_singles(const KernelView& view, const std::vector<RecipeStep>& recipe,
                   const State& state, std::vector<TransformOption>& found,
                   std::vector<std::string>* refusals);
  /// Adds what applies once the kernel is written out: its macros, its one round, its early return.
  void offer_opened(std::vector<TransformOption>& found, std::vector<RecipeStep>& sequences,
                    std::vector<std::string>* refusals);
  /// Steps that apply to the original and show other steps more of it.
  std::vector<RecipeStep> opening_steps();
  /// One step further; a sequence is several.
  void extend(State& state, const RecipeStep& step);
  const State& state_after(const std::vector<RecipeStep>& recipe);
  std::string assembled(const Draft& draft) const;
  std::shared_ptr<const TranslationUnit> parsed(std::string text);
  /// Calls `work` with the view of the parsed draft; gives the reason where it cannot be parsed.
  std::optional<std::string> with_view(const Draft& draft,
                                       const std::function<void(const KernelView&)>& work);

  Subject subject_;
  Preamble preamble_;  ///< of the unit, which is parsed for each step
  std::string file_, file_text_, name_;
  unsigned insert_at_ = 0;
  State original_;
  std::vector<ParsedUnit> units_;  ///< the one used last comes first
  GuardTruths guards_{subject_.seen};
  std::map<std::string, State> states_;  ///< by the recipe's JSON
};

}  // namespace geak::clang_tool::transforms
