// Where candidates come from. Rules are the first generator; a language model is another one.
#pragma once

#include <optional>
#include <string>

#include "clang-tool/variant.h"
#include "optimizer/assessment.h"
#include "optimizer/recipe.h"

namespace geak::optimizer {

struct Candidate {
  Recipe recipe;
  clang_tool::Variant variant;  // finished: named by its digest
  std::string parent;           // digest of the variant that it extends; empty: the original
};

class Generator {
 public:
  virtual ~Generator() = default;

  // Kept as the variant's origin: "rules", "llm:<model>".
  virtual std::string name() const = 0;
  // The next candidate, or nothing when it has no more to offer before it gets a report. Asked for
  // a few at a time, which are tried together.
  virtual std::optional<Candidate> next() = 0;
  // The candidate of this recipe, asked for or not; nothing where it does not apply, or where this
  // generator makes none on demand.
  virtual std::optional<Candidate> make(const Recipe&) { return std::nullopt; }
  // What became of the candidate. Also called, before the first next(), with what earlier runs
  // kept: those count against no budget.
  virtual void report(const Recipe& recipe, const Assessment& assessment, bool earlier) = 0;
  // Why next() ended: one line for people.
  virtual std::string ended_by() const = 0;
};

}  // namespace geak::optimizer
