#include "replay/recorder/graphs.h"

#include <algorithm>
#include <set>

namespace geak::replay {
namespace {

std::vector<hipGraphNode_t> nodes_of(hipGraph_t graph) {
  std::size_t count = 0;
  if (GEAK_REAL(hipGraphGetNodes)(graph, nullptr, &count) != hipSuccess) return {};
  std::vector<hipGraphNode_t> nodes(count);
  if (count && GEAK_REAL(hipGraphGetNodes)(graph, nodes.data(), &count) != hipSuccess) return {};
  return nodes;
}

std::vector<hipGraphNode_t> dependencies_of(hipGraphNode_t node) {
  std::size_t count = 0;
  if (GEAK_REAL(hipGraphNodeGetDependencies)(node, nullptr, &count) != hipSuccess) return {};
  std::vector<hipGraphNode_t> nodes(count);
  if (count) GEAK_REAL(hipGraphNodeGetDependencies)(node, nodes.data(), &count);
  return nodes;
}

}  // namespace

SplitGraph::SplitGraph(hipGraph_t graph) {
  if (GEAK_REAL(hipGraphClone)(&copy_, graph) != hipSuccess) {
    copy_ = nullptr;
    fail("the graph can't be copied");
  }
}

SplitGraph::~SplitGraph() {
  if (copy_) GEAK_REAL(hipGraphDestroy)(copy_);
}

void SplitGraph::fail(const std::string& why) {
  if (problem_.empty()) problem_ = why;
  steps_.clear();
}

hipGraphNode_t SplitGraph::in_copy(hipGraphNode_t node) const {
  hipGraphNode_t found = nullptr;
  if (!copy_ || GEAK_REAL(hipGraphNodeFindInClone)(&found, node, copy_) != hipSuccess) {
    return nullptr;
  }
  return found;
}

// Kahn's algorithm.
bool SplitGraph::order() {
  auto waiting = nodes_of(copy_);
  std::set<hipGraphNode_t> done;
  while (!waiting.empty()) {
    const auto ready = [&](hipGraphNode_t node) {
      return std::ranges::all_of(dependencies_of(node),
                                 [&](hipGraphNode_t earlier) { return done.contains(earlier); });
    };
    const auto next = std::ranges::find_if(waiting, ready);
    if (next == waiting.end()) return false;
    nodes_.push_back(*next);
    done.insert(*next);
    waiting.erase(next);
  }
  return !nodes_.empty();
}

const std::vector<SplitGraph::Step>& SplitGraph::steps() {
  if (split_ || !problem_.empty()) return steps_;
  split_ = true;
  if (!order()) {
    fail("its nodes can't be put in order");
    return steps_;
  }
  for (auto* node : nodes_) {
    hipGraphNodeType type{};
    if (GEAK_REAL(hipGraphNodeGetType)(node, &type) != hipSuccess ||
        (type != hipGraphNodeTypeKernel && type != hipGraphNodeTypeMemset)) {
      fail("it holds other nodes than kernels and memory sets: its kernels are not recorded");
      return steps_;
    }
    steps_.push_back({node, type == hipGraphNodeTypeKernel});
  }
  return steps_;
}

}  // namespace geak::replay
