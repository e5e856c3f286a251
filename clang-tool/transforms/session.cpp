#include "clang-tool/transforms/session.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/sequences.h"
#include "support/json_text.h"

namespace geak::clang_tool::transforms {
namespace {

std::string key_of(const std::vector<RecipeStep>& recipe) {
  return support::json_text(nlohmann::json(recipe));
}

/// The definition named so whose instantiation the subject means.
const clang::FunctionDecl* find_kernel(const TranslationUnit& unit, const std::string& name) {
  for (const clang::FunctionDecl* kernel : find_kernels(unit))
    if (qualified_name(*kernel) == name) return kernel;
  return nullptr;
}

const clang::FunctionDecl* instantiation(const clang::FunctionDecl& written,
                                         const std::vector<std::string>& arguments) {
  if (written.getDescribedFunctionTemplate() == nullptr) return &written;
  for (const clang::FunctionDecl* candidate : instantiations_of(written))
    if (template_arguments(*candidate) == arguments) return candidate;
  return nullptr;
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

/// `(MaskWidth) == (5) && std::is_same_v<...>`: what the analysis of one instantiation holds for.
std::vector<std::string> template_guards(const clang::FunctionDecl& written,
                                         const std::vector<std::string>& arguments) {
  std::vector<std::string> guards;
  const auto* described = written.getDescribedFunctionTemplate();
  if (described == nullptr) return guards;
  unsigned position = 0;
  for (const clang::NamedDecl* parameter : *described->getTemplateParameters()) {
    if (position >= arguments.size()) break;
    const std::string name = parameter->getNameAsString();
    const std::string& value = arguments[position++];
    if (name.empty()) continue;
    // The host may name a device function as a template's argument alone.
    const auto constant = [&](const std::string& of) {
      return "std::integral_constant<decltype(" + name + "), " + of + ">";
    };
    if (llvm::isa<clang::NonTypeTemplateParmDecl>(parameter) && value.starts_with("&"))
      guards.push_back("__is_same(" + constant(name) + ", " + constant(value) + ")");
    else if (llvm::isa<clang::NonTypeTemplateParmDecl>(parameter))
      guards.push_back("(" + name + ") == (" + value + ")");
    else if (llvm::isa<clang::TemplateTypeParmDecl>(parameter))
      guards.push_back("__is_same(" + name + ", " + value + ")");
  }
  return guards;
}

/// One of each by turns: a search that ends early has looked at both.
template <typename T>
std::vector<T> in_turn(std::vector<T> first, std::vector<T> second) {
  std::vector<T> all;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) all.push_back(std::move(first[i]));
    if (i < second.size()) all.push_back(std::move(second[i]));
  }
  return all;
}

/// A variant that never runs where it was seen gains nothing.
constexpr const char* idle = "its guard holds at no launch seen";

const char* reason_for_no_variant(const clang::FunctionDecl& kernel) {
  if (is_defined_by_macro(kernel)) return "a macro defines it";
  if (!kernel.getDeclContext()->getRedeclContext()->isFileContext())
    return "it is a class's member";
  if (kernel.isVariadic()) return "it is variadic";
  if (kernel.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
    return "it is an explicit specialization";
  for (const clang::ParmVarDecl* parameter : kernel.parameters())
    if (parameter->getName().empty()) return "a parameter has no name";
  return nullptr;
}

/// Why a unit has no kernel of this name; a name with template arguments is what reports print.
std::string no_kernel(const std::string& name) {
  const std::string text = " defines no kernel " + name;
  const auto bracket = name.find('<');
  if (bracket == std::string::npos) return text;
  return text + "; template arguments are given apart from the name " + name.substr(0, bracket) +
         " (--template-argument, once for each)";
}

}  // namespace

Session::Session(Subject subject) : subject_(std::move(subject)) { take_original(); }

void Session::take_original() {
  ParseOptions options;
  options.architecture = subject_.architecture;
  const TranslationUnit unit = TranslationUnit::parse(subject_.command, Pass::device, options);
  const clang::FunctionDecl* kernel = find_kernel(unit, subject_.kernel);
  const std::string& unit_file = subject_.command.file;
  if (kernel == nullptr) throw std::runtime_error(unit_file + no_kernel(subject_.kernel));
  if (const char* reason = reason_for_no_variant(*kernel))
    throw std::runtime_error(subject_.kernel + " cannot have a variant: " + reason);
  if (kernel->getDescribedFunctionTemplate() != nullptr && subject_.template_arguments.empty())
    throw std::runtime_error(subject_.kernel +
                             " is a template; give the template arguments of one of its "
                             "instantiations (--template-argument, once for each)");
  const SourceSpan span = definition_span(*kernel, subject_.command.directory);
  const SourceText source(unit.sources(), kernel->getLocation());
  const auto begin = source.offset(unit.sources().getExpansionLoc(kernel->getOuterLocStart()));
  const auto at_name = source.offset(kernel->getLocation());
  if (!span.valid() || !begin || !at_name || *begin < span.begin_offset)
    throw std::runtime_error(subject_.kernel +
                             " cannot have a variant: its text is in several files");
  file_ = span.file;
  file_text_ = source.text();
  insert_at_ = span.end_offset;
  name_ = kernel->getNameAsString();

  TextEdits edits;
  edits.replace({*at_name, *at_name + static_cast<unsigned>(name_.size())},
                variant_name_placeholder);
  if (kernel->getStorageClass() != clang::SC_Static) edits.insert(*begin, "static ");
  original_.draft.text = edits.apply(file_text_, {span.begin_offset, span.end_offset});
  for (const std::string& guard : template_guards(*kernel, subject_.template_arguments))
    original_.draft.require(guard);
  guards_.ask_about(*kernel, joined(subject_.template_arguments, ", "));
}

std::string Session::assembled(const Draft& draft) const {
  std::string inserted = "\n" + draft.text + "\n";
  // A template is analysed as it is instantiated; naming an instantiation makes one.
  if (!subject_.template_arguments.empty())
    inserted += std::string("[[maybe_unused]] static auto* const geak_instance = &") +
                variant_name_placeholder + "<" + joined(subject_.template_arguments, ", ") + ">;\n";
  return file_text_.substr(0, insert_at_) + inserted + file_text_.substr(insert_at_);
}

std::shared_ptr<const TranslationUnit> Session::parsed(std::string text) {
  const auto known = std::ranges::find(units_, text, &ParsedUnit::text);
  if (known != units_.end()) {
    std::rotate(units_.begin(), known, known + 1);
    return units_.front().unit;
  }
  ParseOptions options;
  options.architecture = subject_.architecture;
  options.contents[file_] = text;
  options.preamble = &preamble_;
  auto unit = std::make_shared<const TranslationUnit>(
      TranslationUnit::parse(subject_.command, Pass::device, options));
  if (units_.size() == kept_units) units_.pop_back();
  units_.insert(units_.begin(), {std::move(text), unit});
  return unit;
}

std::optional<std::string> Session::with_view(const Draft& draft,
                                              const std::function<void(const KernelView&)>& work) {
  const auto held = parsed(assembled(draft));  // `work` may ask for others
  const TranslationUnit& unit = *held;
  if (!unit.errors().empty()) return "the result is not valid: " + unit.errors().front();
  std::string name = subject_.kernel;
  name.replace(name.size() - name_.size(), name_.size(), variant_name_placeholder);
  const clang::FunctionDecl* written = find_kernel(unit, name);
  const clang::FunctionDecl* function =
      written == nullptr ? nullptr : instantiation(*written, subject_.template_arguments);
  if (function == nullptr) return "the unit does not show the kernel that is to be changed";

  std::vector<support::Launch> runs;
  for (const SeenLaunch& seen : subject_.seen) {
    std::string problem;
    const auto run = draft.launch.apply(
        seen.launch,
        [&](std::uint32_t position) {
          return position < seen.arguments.size() ? seen.arguments[position] : std::nullopt;
        },
        &problem);
    if (run) runs.push_back(*run);
  }
  if (runs.empty() && !subject_.seen.empty()) return "no launch seen meets the conditions";
  const SourceText source(unit.sources(), written->getLocation());
  work({unit,
        source,
        *written,
        *function,
        find_kernel(unit, subject_.kernel),
        {insert_at_ + 1, insert_at_ + 1 + static_cast<unsigned>(draft.text.size())},
        subject_.seen,
        runs});
  return std::nullopt;
}

void Session::extend(State& state, const RecipeStep& step) {
  if (!state.refusal.empty()) return;
  if (step.transform == sequence_step) {
    for (const nlohmann::json& inner : step.parameters.at("steps"))
      extend(state, inner.get<RecipeStep>());
    return;
  }
  const Transform* transform = find_transform(step.transform);
  if (transform == nullptr) {
    state.refusal = step.transform + ": no such transform";
    return;
  }
  Draft draft = state.draft;
  std::optional<Refusal> refusal;
  const auto problem = with_view(state.draft, [&](const KernelView& view) {
    refusal = transform->apply(view, step.parameters, draft);
  });
  if (problem) refusal = Refusal{*problem};
  if (refusal)
    state.refusal = step.transform + ": " + refusal->reason;
  else
    state.draft = std::move(draft);
}

void Session::learn(const std::vector<const Draft*>& drafts) {
  const auto guards = guards_.unknown(drafts);
  if (guards.empty()) return;
  ParseOptions options;
  options.architecture = subject_.architecture;
  options.preamble = &preamble_;
  const std::string question = guards_.question(guards);
  if (question.empty()) return guards_.give_up(guards);
  options.contents[file_] =
      file_text_.substr(0, insert_at_) + question + file_text_.substr(insert_at_);
  guards_.learn(TranslationUnit::parse(subject_.command, Pass::device, options), guards);
}

void Session::drop_idle(const std::vector<RecipeStep>& recipe, std::vector<TransformOption>& found,
                        std::vector<std::string>* refusals) {
  const auto key = [&](const TransformOption& option) {
    std::vector<RecipeStep> longer = recipe;
    longer.push_back(option.step);
    return key_of(longer);
  };
  std::vector<const Draft*> drafts;
  for (const TransformOption& option : found) drafts.push_back(&states_.at(key(option)).draft);
  learn(drafts);
  std::erase_if(found, [&](const TransformOption& option) {
    State& state = states_.at(key(option));
    if (guards_.may_run(state.draft)) return false;
    state.refusal = option.step.transform + ": " + idle;
    if (refusals != nullptr) refusals->push_back(state.refusal);
    return true;
  });
}

const Session::State& Session::state_after(const std::vector<RecipeStep>& recipe) {
  if (recipe.empty()) return original_;
  const std::string key = key_of(recipe);
  if (const auto known = states_.find(key); known != states_.end()) return known->second;
  State after = state_after({recipe.begin(), recipe.end() - 1});
  extend(after, recipe.back());
  if (after.refusal.empty()) {
    learn({&after.draft});
    if (!guards_.may_run(after.draft)) after.refusal = recipe.back().transform + ": " + idle;
  }
  return states_.emplace(key, std::move(after)).first->second;
}

std::vector<TransformOption> Session::single_options(const std::vector<RecipeStep>& recipe,
                                                     std::vector<std::string>* refusals) {
  std::vector<TransformOption> found;
  const State& state = state_after(recipe);
  if (!state.refusal.empty()) {
    if (refusals != nullptr) refusals->push_back(state.refusal);
    return found;
  }
  const auto problem = with_view(state.draft, [&](const KernelView& view) {
    add_singles(view, recipe, state, found, refusals);
  });
  if (problem && refusals != nullptr) refusals->push_back(*problem);
  drop_idle(recipe, found, refusals);
  return found;
}

void Session::add_singles(const KernelView& view, const std::vector<RecipeStep>& recipe,
                          const State& state, std::vector<TransformOption>& found,
                          std::vector<std::string>* refusals) {
  for (const Transform* transform : all_transforms()) {
    const auto candidates = transform->parameters(view);
    if (candidates.empty() && refusals != nullptr)
      refusals->push_back(transform->name() + ": nothing here that it could change");
    for (const nlohmann::json& parameters : candidates) {
      State after{state.draft, {}};
      if (const auto refusal = transform->apply(view, parameters, after.draft)) {
        if (refusals != nullptr) refusals->push_back(transform->name() + ": " + refusal->reason);
        continue;
      }
      found.push_back({{transform->name(), parameters}, transform->summary()});
      std::vector<RecipeStep> longer = recipe;
      longer.push_back(found.back().step);
      states_.emplace(key_of(longer), std::move(after));
    }
  }
}

std::vector<TransformOption> Session::options(const std::vector<RecipeStep>& recipe,
                                              std::vector<std::string>* refusals) {
  if (!recipe.empty()) return single_options(recipe, refusals);
  std::vector<TransformOption> found;
  const State& state = state_after(recipe);
  std::vector<RecipeStep> sequences;
  const auto problem = with_view(state.draft, [&](const KernelView& view) {
    sequences = promising_sequences(view);
    add_singles(view, recipe, state, found, refusals);
  });
  if (problem && refusals != nullptr) refusals->push_back(*problem);
  drop_idle(recipe, found, refusals);
  offer_opened(found, sequences, refusals);
  std::vector<TransformOption> promising;
  for (const RecipeStep& sequence : sequences)
    if (state_after({sequence}).refusal.empty())
      promising.push_back({sequence, "several steps that make room for each other"});
  found.insert(found.begin(), promising.begin(), promising.end());
  return found;
}

std::vector<RecipeStep> Session::opening_steps() {
  std::vector<RecipeStep> steps;
  for (const Transform* transform :
       {&expand_macros(), &for_loops(), &single_round(), &early_exit()}) {
    std::vector<RecipeStep> longer = steps;
    longer.push_back({transform->name(), nlohmann::json::object()});
    if (state_after(longer).refusal.empty()) steps = std::move(longer);
  }
  return steps;
}

void Session::offer_opened(std::vector<TransformOption>& found, std::vector<RecipeStep>& sequences,
                           std::vector<std::string>* refusals) {
  const std::vector<RecipeStep> open = opening_steps();
  if (open.empty()) return;
  const State& state = state_after(open);
  std::vector<TransformOption> singles;
  std::vector<RecipeStep> more;
  const auto problem = with_view(state.draft, [&](const KernelView& view) {
    more = promising_sequences(view);
    add_singles(view, open, state, singles, nullptr);
  });
  if (problem && refusals != nullptr) refusals->push_back(open.back().transform + ": " + *problem);
  drop_idle(open, singles, nullptr);
  const auto opened = [&](std::vector<RecipeStep> then) {
    then.insert(then.begin(), open.begin(), open.end());
    return sequence(then);
  };
  std::vector<TransformOption> options;
  for (const TransformOption& option : singles) {
    const auto same = std::ranges::find(found, option.step, &TransformOption::step);
    // Statements of one block can stand in lockstep; a guarded block is copied as a whole.
    const bool better = option.step.transform == coarsen().name();
    if (same != found.end() && !better) continue;
    if (same != found.end()) found.erase(same);
    options.push_back({opened({option.step}), option.summary});
  }
  found = in_turn(std::move(options), std::move(found));
  std::vector<RecipeStep> promising;
  for (const RecipeStep& step : more)
    if (std::ranges::find(sequences, step) == sequences.end())
      promising.push_back(opened(step.parameters.at("steps").get<std::vector<RecipeStep>>()));
  sequences = in_turn(std::move(promising), std::move(sequences));
}

ApplyResult Session::apply(const std::vector<RecipeStep>& recipe) {
  const State& state = state_after(recipe);
  if (!state.refusal.empty()) return {std::nullopt, state.refusal};
  Variant variant;
  variant.text = "\n" + state.draft.text;
  variant.launch = state.draft.launch;
  variant.guard = joined(state.draft.guards, " && ");
  variant.recipe = recipe;
  return {finish_variant(name_, std::move(variant)), {}};
}

std::map<std::string, std::string> Session::contents_with(const Variant& variant) const {
  std::string inserted = "\n" + variant.text + "\n";
  if (!subject_.template_arguments.empty())
    inserted += "[[maybe_unused]] static auto* const geak_instance = &" + variant.name + "<" +
                joined(subject_.template_arguments, ", ") + ">;\n";
  return {{file_, file_text_.substr(0, insert_at_) + inserted + file_text_.substr(insert_at_)}};
}

}  // namespace geak::clang_tool::transforms
