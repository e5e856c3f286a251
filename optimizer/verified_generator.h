// Candidates that were verified on one target, to be tried on another.
#pragma once

#include <string>
#include <vector>

#include "cache/types.h"
#include "optimizer/generator.h"

namespace geak::optimizer {

class VerifiedGenerator : public Generator {
 public:
  // Offers them in this order. Throws nlohmann::json::exception for what is no variant of geak's.
  explicit VerifiedGenerator(std::vector<cache::VerifiedVariant> found);

  std::string name() const override;  // of whatever made the candidate at hand
  std::optional<Candidate> next() override;
  void report(const Recipe&, const Assessment&, bool) override {}
  std::string ended_by() const override { return "exhausted"; }

 private:
  std::vector<cache::VerifiedVariant> found_;
  std::size_t next_ = 0;
};

}  // namespace geak::optimizer
