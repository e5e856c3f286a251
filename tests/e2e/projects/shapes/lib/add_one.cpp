#include <hip/hip_runtime.h>

#include "table.h"

__global__ void add_one(int* values) { values[threadIdx.x] += kTable[1]; }

void launch_add_one(int* values, int count) { add_one<<<1, count>>>(values); }
