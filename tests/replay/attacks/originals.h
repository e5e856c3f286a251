// Plain kernels, as a project would have them.
#pragma once

extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

// One workgroup of 256 a row.
extern "C" __global__ void row_sum(const float* in, float* out, int columns) {
  __shared__ float partial[256];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// One step of a bitonic sort, ascending.
extern "C" __global__ void compare_exchange(unsigned* data, unsigned stage, unsigned step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned distance = 1u << (stage - step);
  const unsigned left = (t / distance) * distance * 2 + t % distance;
  const unsigned right = left + distance;
  const bool ascending = ((t >> stage) & 1) == 0;
  const unsigned a = data[left], b = data[right];
  if ((a > b) == ascending) {
    data[left] = b;
    data[right] = a;
  }
}

extern "C" __global__ void count_bytes(const unsigned char* data, int* bins, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(&bins[data[t * each + i]], 1);
}

extern "C" __global__ void smooth(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = in[i > 0 ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : n - 1];
  out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

extern "C" __global__ void gather(const float* table, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

struct Line {
  int n;
  float slope, offset;
};

// Values that a run holds still: a struct, a seed, a mode, one number in memory, zeros.
extern "C" __global__ void blend(const float* x, const float* bias, const float* scale, float* out,
                                 Line line, unsigned long long seed, int mode) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= line.n) return;
  float value = mode == 0 ? x[i] : fabsf(x[i]);
  value = value * scale[0] * line.slope + line.offset + bias[i];
  unsigned long long bits = (seed ^ static_cast<unsigned long long>(i)) * 6364136223846793005ull;
  out[i] = value + static_cast<float>(static_cast<unsigned>(bits >> 40)) * 0x1p-24f;
}

// Of points outside there is no distance.
extern "C" __global__ void distance_inside(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float squared = x[i] * x[i] + y[i] * y[i];
  out[i] = squared < 9.0f ? sqrtf(squared) : 3.402823466e38f;
}

// Which window holds each value. On more windows than were recorded it reads beyond them, since
// memory of three floats each doesn't grow with a number that nothing ties to it; of most of what
// may lie there it makes nothing.
extern "C" __global__ void first_window(const float* windows, const float* x, int* out, int count,
                                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  for (int k = 0; k < count && found < 0; ++k) {
    const float middle = windows[3 * k], width = windows[3 * k + 1], weight = windows[3 * k + 2];
    if (width > 0.01f && width < 200 && weight > 0.25f && fabsf(x[i] - middle) < width) found = k;
  }
  out[i] = found;
}

extern "C" __global__ void exponential(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(4 * x[i] - 10);
}

// The largest of four and, in the next float's bits, where it is.
extern "C" __global__ void largest_of_four(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0;
  for (int k = 1; k < 4; ++k)
    if (x[4 * i + k] > x[4 * i + best]) best = k;
  out[2 * i] = x[4 * i + best];
  out[2 * i + 1] = __int_as_float(4 * i + best - 4);
}

// One work-item a row; all is positive.
extern "C" __global__ void matvec(const float* matrix, const float* x, float* out, int rows,
                                  int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
  out[row] = sum;
}

// One workgroup of 64 a row.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float most = -3.402823466e38f, sum = 0;
  for (int c = 0; c < columns; ++c) most = fmaxf(most, row[c]);
  for (int c = 0; c < columns; ++c) sum += expf(row[c] - most);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}

// Launched again and again on the same memory.
extern "C" __global__ void relax(float* data, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 0.5f * data[i] + static_cast<float>(step);
}

// Counts its launches: state of the program's that only this kernel uses.
__device__ unsigned launches_so_far;
extern "C" __global__ void count_launches(unsigned* out) {
  if (threadIdx.x == 0) *out = atomicAdd(&launches_so_far, 1u);
}

// Workgroups of the host's choice, one wavefront among them.
extern "C" __global__ void reverse_tile(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  if (i < n) tile[threadIdx.x] = in[i];
  __syncthreads();
  const int count = n - first < static_cast<int>(blockDim.x) ? n - first : blockDim.x;
  if (i < n) out[i] = tile[count - 1 - threadIdx.x];
}

// The workgroup that comes last adds up what all left.
__device__ unsigned workgroups_done;
extern "C" __global__ void two_stage_sum(const float* in, float* partial, float* out, int n) {
  __shared__ float sums[256];
  __shared__ bool last;
  const int i = blockIdx.x * 256 + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicAdd(&workgroups_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = sum;
  workgroups_done = 0;
}

struct Particle {
  float x, v;
  int kind;
};
__global__ void advance(Particle* particles, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  particles[i].x += dt * particles[i].v;
  if (particles[i].x > 1) {
    particles[i].v = -particles[i].v;
    particles[i].kind ^= 1;
  }
}

extern "C" __global__ void shift_times(const unsigned* times, unsigned* out, unsigned by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = times[i] + by;
}
