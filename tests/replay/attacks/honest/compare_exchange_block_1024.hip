// kernel: compare_exchange
// expect: accepted
// spec: {"launch_change": {"x": {"block": {"rule": "multiply", "value": 4}, "grid": {"rule": "divide", "value": 4}}}}
extern "C" __global__ __launch_bounds__(1024) void candidate(unsigned* data, unsigned stage, unsigned step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, distance = 1u << (stage - step);
  const unsigned left = (t / distance) * distance * 2 + t % distance, right = left + distance;
  const unsigned a = data[left], b = data[right];
  if ((a > b) != (((t >> stage) & 1) == 0)) return;
  data[left] = b;
  data[right] = a;
}
