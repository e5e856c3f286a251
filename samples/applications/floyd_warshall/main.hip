// All shortest paths of a directed graph by Floyd and Warshall: one launch for each inner node.
#include "../common/sample.h"

#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

constexpr unsigned kUnreachable = 1u << 30;  // twice this still fits, so sums cannot wrap

// One thread handles one pair (row, column): is the way through node k shorter?
// next[row * nodes + column] is the first hop of the best way known from row to column.
__global__ void floyd_warshall(unsigned* dist, unsigned* next, unsigned nodes, unsigned k) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= nodes || column >= nodes) return;

  const unsigned through_k = dist[row * nodes + k] + dist[k * nodes + column];
  if (through_k < dist[row * nodes + column]) {
    dist[row * nodes + column] = through_k;
    next[row * nodes + column] = next[row * nodes + k];
  }
}

// Distances from one node, by Dijkstra: another algorithm than the one under test.
static std::vector<unsigned> dijkstra(const std::vector<unsigned>& weight, unsigned nodes,
                                      unsigned from) {
  std::vector<unsigned> dist(nodes, kUnreachable);
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
  dist[from] = 0;
  open.emplace(0, from);
  while (!open.empty()) {
    const auto [so_far, node] = open.top();
    open.pop();
    if (so_far > dist[node]) continue;
    for (unsigned to = 0; to < nodes; ++to) {
      const unsigned edge = weight[size_t(node) * nodes + to];
      if (edge != kUnreachable && so_far + edge < dist[to]) {
        dist[to] = so_far + edge;
        open.emplace(dist[to], to);
      }
    }
  }
  return dist;
}

// Follows `next` from one node to another; returns the length of that way.
static unsigned walk(const std::vector<unsigned>& weight, const std::vector<unsigned>& next,
                     unsigned nodes, unsigned from, unsigned to) {
  unsigned length = 0;
  for (unsigned hops = 0; from != to; ++hops) {
    const unsigned hop = next[size_t(from) * nodes + to];
    if (hop >= nodes || hops >= nodes) return kUnreachable;
    length += weight[size_t(from) * nodes + hop];
    if (length >= kUnreachable) return kUnreachable;
    from = hop;
  }
  return length;
}

static bool check(const std::vector<unsigned>& weight, const std::vector<unsigned>& dist,
                  const std::vector<unsigned>& next, unsigned nodes, std::mt19937& random) {
  const bool all = nodes <= 512;  // of larger graphs 64 rows drawn at random
  for (unsigned i = 0; i < (all ? nodes : 64); ++i) {
    const unsigned from = all ? i : random() % nodes;
    const std::vector<unsigned> expected = dijkstra(weight, nodes, from);
    for (unsigned to = 0; to < nodes; ++to) {
      if (dist[size_t(from) * nodes + to] != expected[to]) return false;
      if (walk(weight, next, nodes, from, to) != expected[to]) return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 1024, 2, 16384, "nodes of the graph");
  const unsigned nodes = options.size;
  const size_t cells = size_t(nodes) * nodes;

  // About eight edges leave each node, their weights are skewed, and node 0 cannot be reached.
  std::mt19937 random(options.seed);
  std::vector<unsigned> weight(cells, kUnreachable);
  std::vector<unsigned> first_hop(cells, nodes);
  for (unsigned row = 0; row < nodes; ++row) {
    weight[size_t(row) * nodes + row] = 0;
    for (int edge = 0; edge < 8; ++edge) {
      const unsigned column = 1 + random() % (nodes - 1);
      if (column == row) continue;
      weight[size_t(row) * nodes + column] =
          1 + (random() % 4 == 0 ? random() % 1000 : random() % 10);
      first_hop[size_t(row) * nodes + column] = column;
    }
  }

  unsigned* d_dist = nullptr;
  unsigned* d_next = nullptr;
  HIP_CHECK(hipMalloc(&d_dist, cells * sizeof(unsigned)));
  HIP_CHECK(hipMalloc(&d_next, cells * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(d_dist, weight.data(), cells * sizeof(unsigned), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(d_next, first_hop.data(), cells * sizeof(unsigned), hipMemcpyHostToDevice));

  const dim3 block(16, 16);
  const dim3 grid((nodes + block.x - 1) / block.x, (nodes + block.y - 1) / block.y);
  sample::EventTimer timer;
  timer.start();
  for (unsigned k = 0; k < nodes; ++k) {
    floyd_warshall<<<grid, block>>>(d_dist, d_next, nodes, k);
    HIP_CHECK(hipGetLastError());
  }
  const float ms = timer.stop_ms();

  std::vector<unsigned> dist(cells);
  std::vector<unsigned> next(cells);
  HIP_CHECK(hipMemcpy(dist.data(), d_dist, cells * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(next.data(), d_next, cells * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(d_dist));
  HIP_CHECK(hipFree(d_next));

  return sample::report("random sparse graph", check(weight, dist, next, nodes, random), ms) ? 0
                                                                                             : 1;
}
