// HIP's half types are CUDA's by the same names.
#pragma once

#include <cuda_fp16.h>
