// The inner loops of batch norm over contiguous positions of all channels; memory-bound, one pass.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// A run of `positions` x `channels` contiguous elements.
struct RunSize {
  std::int64_t positions = 0;
  std::int64_t channels = 0;
};

// Adds the sum and the sum of squares of x, per channel, in double.
void add_moments(RunSize size, const float* x, double* sum, double* square);

// Per channel: (x - mean) * factor + shift.
struct Normalisation {
  const float* mean = nullptr;
  const float* factor = nullptr;  // scale / sqrt(variance + epsilon)
  const float* shift = nullptr;
};
// y = relu?((x - mean) * factor + shift + residual?); `residual` may be null
void normalise(RunSize size,
               const Normalisation& by,
               const float* x,
               const float* residual,
               bool relu,
               float* y);

// What the backward statistics read and write; `y` is null without ReLU, `dz` where not wanted.
struct GradientRun {
  const float* x = nullptr;
  const float* dy = nullptr;
  const float* y = nullptr;
  float* dz = nullptr;
};
struct GradientSums {
  const float* mean = nullptr;  // per channel
  double* gradient = nullptr;   // sum of dz
  double* product = nullptr;    // sum of dz * (x - mean)
};
void add_gradient_sums(RunSize size, const GradientRun& run, const GradientSums& sums);

// Per channel: dx = (dz - offset - (x - mean) * slope) * factor.
struct GradientTransform {
  const float* mean = nullptr;
  const float* factor = nullptr;
  const float* offset = nullptr;
  const float* slope = nullptr;
};
// dz = dy where y > 0, everywhere when `y` is null
void transform_gradient(RunSize size,
                        const GradientTransform& by,
                        const float* x,
                        const float* dy,
                        const float* y,
                        float* dx);

}  // namespace cnnplan::onednn
