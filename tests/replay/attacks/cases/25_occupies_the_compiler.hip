// kernel: saxpy
// expect: not held: does not compile within
// through: trial
// options: --timeout 3
template <int N, unsigned long long K>
struct Doubling {
  static constexpr int value = Doubling<N - 1, 2 * K>::value + Doubling<N - 1, 2 * K + 1>::value;
};
template <unsigned long long K>
struct Doubling<0, K> {
  static constexpr int value = 1;
};
extern "C" __global__ void candidate(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i] + (Doubling<40, 1>::value == 5 ? 1 : 0);
}
