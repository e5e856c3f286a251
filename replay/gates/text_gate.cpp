#include "replay/gates/text_gate.h"

#include "replay/gates/text_rules.h"

namespace geak::replay {

std::optional<Refusal> check_text(std::string_view candidate, std::string_view original) {
  const auto text = scan(candidate);
  if (!text.problem.empty()) {
    return Refusal{"the candidate's text can't be judged: " + text.problem, kLink};
  }
  const auto known = scan(original);
  if (auto refusal = check_directives(text, known)) return refusal;
  if (auto refusal = check_names(text, known)) return refusal;
  return check_declarations(text, known);
}

}  // namespace geak::replay
