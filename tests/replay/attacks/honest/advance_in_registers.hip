// kernel: _Z7advanceP8Particlefi
// expect: accepted
// through: trial
extern "C" __global__ void candidate(Particle* particles, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  p.x += dt * p.v;
  if (p.x > 1) p.v = -p.v, p.kind ^= 1;
  particles[i] = p;
}
