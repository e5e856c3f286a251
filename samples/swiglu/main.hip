// The gate of a SwiGLU layer in bfloat16: out = silu(x[:d]) * x[d:] for each token.
#include "../mmcv_ops/operator.h"

#include <hip/hip_bfloat16.h>

__device__ inline float silu(float x) { return x / (1.0f + expf(-x)); }

// One block serves one token. input: (tokens, 2 * d); out: (tokens, d).
__global__ void silu_and_mul(hip_bfloat16* out, const hip_bfloat16* input, int d) {
  const int64_t token = blockIdx.x;
  for (int64_t i = threadIdx.x; i < d; i += blockDim.x) {
    const float x = float(input[token * 2 * d + i]);
    const float y = float(input[token * 2 * d + d + i]);
    out[token * d + i] = hip_bfloat16(silu(x) * y);
  }
}

static bool run(const char* name, int tokens, int d, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> values(0.0f, 2.0f);
  std::vector<hip_bfloat16> input(size_t(tokens) * 2 * d);
  for (hip_bfloat16& value : input) value = hip_bfloat16(values(random));
  sample::Buffer<hip_bfloat16> d_input(input), d_out(size_t(tokens) * d);
  sample::EventTimer timer;
  timer.start();
  silu_and_mul<<<tokens, std::min(d, 1024)>>>(d_out.get(), d_input.get(), d);
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  const auto out = d_out.read();
  bool passed = true;
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t token = i / d, column = i % d;
    const double x = float(input[token * 2 * d + column]);
    const double expected = x / (1 + std::exp(-x)) * float(input[token * 2 * d + d + column]);
    // Half a unit of bfloat16's 8 bits, and the float arithmetic before it.
    passed = passed && std::abs(float(out[i]) - expected) <= std::abs(expected) / 256 + 1e-30;
  }
  return sample::report(name, passed, ms);
}

int main(int argc, char** argv) {
  const sample::Options options = sample::parse_options(argc, argv, 64, 1, 1u << 16, "tokens");
  const int width = options.size > 64 ? 11008 : 1408;
  const bool even = run("even width", options.size, width, options.seed);
  const bool odd = run("odd width", options.size, width - 1, options.seed + 1);
  return even && odd ? 0 : 1;
}
