#pragma once

struct Window {
  int radius;
  float sharpness;
};

__device__ inline float weight(int distance, Window window) {
  return 1.0f / (1.0f + window.sharpness * (distance < 0 ? -distance : distance));
}
