// Candidates from source transforms that check on the AST whether they hold: no language model.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clang-tool/transforms/session.h"
#include "optimizer/generator.h"
#include "optimizer/marked_kernels.h"
#include "optimizer/search.h"

namespace geak::optimizer {

class RulesGenerator : public Generator {
 public:
  // `seen`: the recorded launches. Throws std::runtime_error where the kernel cannot have a variant
  // beside it.
  RulesGenerator(const MarkedKernel& kernel, std::vector<clang_tool::transforms::SeenLaunch> seen,
                 SearchSettings settings);

  std::string name() const override { return "rules"; }
  std::optional<Candidate> next() override;
  std::optional<Candidate> make(const Recipe& recipe) override;
  void report(const Recipe& recipe, const Assessment& assessment, bool earlier) override;
  std::string ended_by() const override;

 private:
  void look_further();

  clang_tool::transforms::Session session_;
  std::unique_ptr<Search> search_;
  Recipe looked_at_;  // the best recipe whose further steps were asked for
  int steps_ = 0;
};

}  // namespace geak::optimizer
