// Graphs that the program instantiated, taken apart so that their kernels can be recorded.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/recorder/real_api.h"

namespace geak::replay {

// One graph's nodes in an order that its edges allow. A launch of it can be made step by step where
// it consists of kernels and memory sets alone: HIP 5.2 can't take a node out of a copied graph
// (hipGraphDestroyNode crashes), nor tell what a copying node copies.
class SplitGraph {
 public:
  struct Step {
    hipGraphNode_t node = nullptr;  // in the copy
    bool is_kernel = false;         // else a memory set
  };

  // Copies the graph as it is now; the program may change or destroy it afterwards.
  explicit SplitGraph(hipGraph_t graph);
  ~SplitGraph();
  SplitGraph(const SplitGraph&) = delete;
  SplitGraph& operator=(const SplitGraph&) = delete;

  // Takes it apart on the first call. Empty where that can't be done: `problem()` says why.
  const std::vector<Step>& steps();
  const std::string& problem() const { return problem_; }
  // The same node of the copy; null where there is none.
  hipGraphNode_t in_copy(hipGraphNode_t node) const;
  // Launches so far, this one included.
  unsigned count_launch() { return ++launches_; }

 private:
  bool order();
  void fail(const std::string& why);

  hipGraph_t copy_ = nullptr;
  std::vector<hipGraphNode_t> nodes_;  // ordered
  std::vector<Step> steps_;
  std::string problem_;
  bool split_ = false;
  unsigned launches_ = 0;
};

// By executable graph.
using Graphs = std::map<hipGraphExec_t, std::unique_ptr<SplitGraph>>;

}  // namespace geak::replay
