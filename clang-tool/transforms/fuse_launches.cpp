// Puts consecutive launches of a kernel into one: stages of a sort, levels of a transform. The
// passes that stood in launches of their own follow each other in each workgroup, with a barrier
// between, which is enough as long as no workgroup meets what another one reads or writes. For how
// many passes that holds is worked out at each launch, from what the addresses follow from.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/launch_loop.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/function_text.h"
#include "clang-tool/transforms/kept_passes.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/pass_values.h"
#include "clang-tool/transforms/pass_windows.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;
using support::PassRule;

/// The first loop over launches of the kernel, or why there is none.
std::variant<LaunchLoop, std::string> find_loop(const KernelView& kernel) {
  std::string reason = "no launch of it is seen in this unit";
  if (kernel.original == nullptr) return reason;
  for (const LaunchNode& launch : find_launches(kernel.unit)) {
    if (launch.kernel == nullptr || written_definition(*launch.kernel) != kernel.original) continue;
    auto loop = launch_loop(launch, kernel.unit.context());
    if (std::holds_alternative<LaunchLoop>(loop)) return loop;
    reason = "its launch: " + std::get<std::string>(loop);
  }
  return reason;
}

/// What one pass does, for all work-items up to its end: those that have left would miss the
/// barriers of the next pass.
std::variant<std::string, Refusal> body_of_pass(const KernelView& kernel,
                                                const PassWindows* windows) {
  if (shared_behaviour(kernel.function).barrier && returns_early(kernel)) {
    const auto body = windows == nullptr ? body_that_all_stay_in(kernel) : std::nullopt;
    if (body) return *body;
    return Refusal{"the kernel has barriers and returns early, in a way that cannot be put off"};
  }
  if (windows != nullptr) return windows->pass_body();
  const auto body = kernel.source.range(kernel.body());
  if (!body) return Refusal{"the kernel's text cannot be taken apart"};
  return kernel.source.text(*body);
}

/// The most passes that a launch seen could do at once.
std::uint32_t most_seen(const KernelView& kernel, const Draft& draft, const PassRule& rule) {
  std::uint32_t most = 0;
  for (const SeenLaunch& seen : kernel.seen) {
    const auto launch = draft.launch.apply(seen.launch, [&](std::uint32_t position) {
      return position < seen.arguments.size() ? seen.arguments[position] : std::nullopt;
    });
    std::vector<std::int64_t> values;
    for (const auto& value : seen.arguments) values.push_back(value.value_or(0));
    if (launch) most = std::max(most, rule.passes(*launch, values));
  }
  return most;
}

std::string advance_text(const PassRule& rule) {
  const std::string step = std::to_string(rule.step);
  switch (rule.advance) {
    case support::pass_rule::advance_multiply:
      return " * " + step;
    case support::pass_rule::advance_divide:
      return " / " + step;
    default:
      return " + (" + step + ")";
  }
}

std::optional<std::string> fused_text(const KernelView& kernel, const PassRule& rule,
                                      const std::string& pass, const PassWindows* windows) {
  const FunctionText header(kernel);
  const auto body = kernel.source.range(kernel.body());
  const clang::ParmVarDecl& parameter = *kernel.written.getParamDecl(rule.argument);
  const std::string name = parameter.getNameAsString();
  const unsigned begin = header.definition_begin();
  if (!body || begin < kernel.text.begin || begin > body->begin) return std::nullopt;
  const std::string type = parameter.getType().getCanonicalType().getUnqualifiedType().getAsString(
      kernel.unit.context().getPrintingPolicy());
  const std::string more = windows == nullptr ? "" : windows->parameters();
  const std::string call = header.call("_pass", windows == nullptr ? "" : windows->arguments());
  return kernel.source.text({kernel.text.begin, begin}) + header.device_function("_pass", more) +
         pass + "\n\n" + kernel.source.text({begin, body->begin}) + "{\n" +
         (windows == nullptr ? "" : windows->load()) + "const unsigned geak_passes = (unsigned)(" +
         name + " >> 16);\n" + type + " geak_next = (" + type + ")(" + name +
         " & 0xffff);\nfor (unsigned geak_nth = 0; geak_nth < geak_passes; ++geak_nth) {\n"
         "if (geak_nth != 0) __syncthreads();\nconst " +
         type + " geak_now = geak_next;\ngeak_next = (" + type + ")(geak_now" + advance_text(rule) +
         ");\n{\nconst " + type + " " + name + " = geak_now;\n" + call + ";\n}\n}\n" +
         (windows == nullptr ? "" : windows->store()) + "}" +
         kernel.source.text({body->end, kernel.text.end});
}

/// The rule of a kernel whose addresses tell nothing: two workgroups may always meet.
PassRule for_one_workgroup(PassRule rule) {
  rule.ops = {{support::pass_rule::pass_unknown, 0, 0, 0, 64, true}};
  rule.accesses = {{0, 0}};
  return rule;
}

/// Pointers that are restrict in each launch stay so for all passes together: what one pass stores
/// through one of them must not be what another reads through another.
void keep_restrict_true(const KernelView& kernel, Draft& draft) {
  const auto parameters = kernel.function.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (std::size_t j = i + 1; j < parameters.size(); ++j) {
      const clang::QualType a = parameters[i]->getType(), b = parameters[j]->getType();
      if (!a->isPointerType() || !b->isPointerType() ||
          (!a.isRestrictQualified() && !b.isRestrictQualified()) ||
          (a->getPointeeType().isConstQualified() && b->getPointeeType().isConstQualified()))
        continue;
      draft.require({support::Condition::Kind::arguments_distinct, static_cast<std::uint32_t>(i),
                     static_cast<std::int64_t>(j)});
      draft.require(different_allocations(parameters[i]->getNameAsString(),
                                          parameters[j]->getNameAsString()));
    }
}

/// Finds how many elements of each written buffer a workgroup has for itself, and takes them in.
std::optional<Refusal> choose_windows(const KernelView& kernel, unsigned block, const Draft& draft,
                                      PassRule& rule, PassWindows& windows) {
  std::set<int> buffers;
  for (const auto& access : rule.accesses) buffers.insert(access.memory);
  for (const int buffer : buffers) {
    PassRule best;
    std::uint32_t most = 1;
    for (const unsigned each : {1U, 2U, 4U, 8U}) {
      PassRule tried = rule;
      tried.windows.push_back({buffer, each * block});
      if (const auto passes = most_seen(kernel, draft, tried); passes > most) {
        most = passes;
        best = tried;
      }
    }
    if (best.windows.empty()) continue;
    const auto elements = static_cast<unsigned>(best.windows.back().elements);
    if (windows.add(*kernel.function.getParamDecl(static_cast<unsigned>(buffer)), elements))
      rule = best;
  }
  if (rule.windows.empty())
    return Refusal{"no buffer's elements lie in parts of a few for each work-item"};
  if (!windows.fits_lds()) return Refusal{"the parts of the buffers do not fit into LDS"};
  return std::nullopt;
}

/// Whether the variant so far may run for some values of the parameter only: the host would test
/// that of the first pass, and no other.
bool asks_about(const clang::ParmVarDecl& parameter, const Draft& draft) {
  using Kind = support::Condition::Kind;
  const auto of_parameter = [&](const support::Condition& condition) {
    return condition.index == parameter.getFunctionScopeIndex() &&
           (condition.kind == Kind::argument_equals || condition.kind == Kind::argument_multiple ||
            condition.kind == Kind::argument_at_least || condition.kind == Kind::argument_at_most);
  };
  const std::string name = parameter.getNameAsString();
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto names_it = [&](const std::string& guard) {
    for (auto at = guard.find(name); at != std::string::npos; at = guard.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !is_word(guard[at - 1])) && (end == guard.size() || !is_word(guard[end])))
        return true;
    }
    return false;
  };
  return std::ranges::any_of(draft.launch.conditions, of_parameter) ||
         std::ranges::any_of(draft.guards, names_it);
}

class FuseLaunches final : public Transform {
 public:
  std::string name() const override { return "fuse_launches"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "does several consecutive launches in one, workgroup by workgroup";
  }

  /// {"most": 32}: launches that one stands for at most; {"lds": true}: what they work on stays in
  /// LDS in between
  std::vector<json> parameters(const KernelView& kernel) const override {
    if (!std::holds_alternative<LaunchLoop>(find_loop(kernel))) return {};
    return {{{"most", 32}, {"lds", true}}, {{"most", 32}}};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto most = parameters.at("most").get<std::uint32_t>();
    if (most < 2 || most > 256) return Refusal{"one launch may stand for 2 to 256"};
    if (draft.launch.passes) return Refusal{"launches are put together already"};
    const auto loop = find_loop(kernel);
    if (const auto* reason = std::get_if<std::string>(&loop)) return Refusal{*reason};
    const SharedBehaviour behaviour = shared_behaviour(kernel.function);
    if (auto refusal = may_show_its_order(behaviour)) return refusal;
    const auto& [statement, variable, argument, advance, step] = std::get<LaunchLoop>(loop);
    PassRule rule{argument, advance, step, most, {}, {}, {}};
    if (auto refusal = check_number(kernel, argument)) return refusal;
    if (asks_about(*kernel.function.getParamDecl(argument), draft))
      return Refusal{"an earlier step rests on what the number of one pass alone is"};
    const auto unclear = add_accesses(kernel, rule);
    if (unclear) rule = for_one_workgroup(rule);
    if (most_seen(kernel, draft, rule) < 2)
      return unclear.value_or(
          Refusal{"in no launch seen do two passes keep to what a workgroup has of its own"});
    if (behaviour.reads_stale)
      return Refusal{"the kernel reads through a cache that does not notice stores"};
    if (parameters.value("lds", false)) return unclear ? unclear : keep_in_lds(kernel, rule, draft);
    return finish(kernel, rule, nullptr, draft);
  }

 private:
  static std::optional<Refusal> keep_in_lds(const KernelView& kernel, PassRule& rule,
                                            Draft& draft) {
    const auto block = kernel.block();
    const auto original = kernel.original_block();
    if (!block || !original) return Refusal{"the launches seen differ in workgroup size"};
    if (shared_behaviour(kernel.function).lds) return Refusal{"the kernel uses LDS itself"};
    PassWindows windows(kernel, (*block)[0]);
    if (auto refusal = choose_windows(kernel, (*block)[0], draft, rule, windows)) return refusal;
    require_block(*original, draft);
    draft.block_is_fixed = true;
    windows.require(draft);
    return finish(kernel, rule, &windows, draft);
  }

  static std::optional<Refusal> finish(const KernelView& kernel, const PassRule& rule,
                                       const PassWindows* windows, Draft& draft) {
    const auto pass = body_of_pass(kernel, windows);
    if (const auto* refusal = std::get_if<Refusal>(&pass)) return *refusal;
    const auto text = fused_text(kernel, rule, std::get<std::string>(pass), windows);
    if (!text) return Refusal{"the kernel's text cannot be taken apart"};
    keep_restrict_true(kernel, draft);
    draft.text = *text;
    draft.launch.passes = rule;
    return std::nullopt;
  }

  static std::optional<Refusal> check_number(const KernelView& kernel, unsigned argument) {
    if (argument >= kernel.function.getNumParams())
      return Refusal{"the launch gives the number of the pass to no parameter"};
    const clang::ParmVarDecl& parameter = *kernel.function.getParamDecl(argument);
    const auto bits = kernel.unit.context().getTypeSize(parameter.getType());
    if (!parameter.getType()->isIntegerType() || (bits != 32 && bits != 64))
      return Refusal{parameter.getNameAsString() + " has no room for the number of passes"};
    return std::nullopt;
  }
};

}  // namespace

const Transform& fuse_launches() {
  static const FuseLaunches transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
