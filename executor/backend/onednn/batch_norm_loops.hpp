// Declares the inner loops of batch norm over contiguous positions of all channels. They are
// memory-bound and take one pass. T is float or BFloat16.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// Gives the size of a run: `positions` x `channels` contiguous elements, channels last.
struct RunSize {
  std::int64_t positions = 0;
  std::int64_t channels = 0;
};

// Adds the sums of x over the positions of a run to `sum`, and the sums of squares to `square`, per
// channel.
template <typename T>
void add_moments(RunSize size, const T* x, double* sum, double* square);

// Holds the numbers per channel of (x - mean) * factor + shift.
struct Normalisation {
  const float* mean = nullptr;
  const float* factor = nullptr;  // scale / sqrt(variance + epsilon)
  const float* shift = nullptr;
};
// Computes y = relu?((x - mean) * factor + shift + residual?). `residual` may be null.
template <typename T>
void normalise(
    RunSize size, const Normalisation& by, const T* x, const T* residual, bool relu, T* y);

// Names what the backward statistics read and write. dz is the gradient at the input of the ReLU.
// `second_dy` is null where nothing is added to dy. `y` is null without ReLU, and `dz` is null
// where it is not wanted. `dz` may be dy or second_dy, and with second_dy it is not null.
template <typename T>
struct GradientRun {
  const T* x = nullptr;
  const T* dy = nullptr;
  const T* second_dy = nullptr;
  const T* y = nullptr;
  T* dz = nullptr;
};
// Says where the sums for the gradient are, and holds the means that they need.
struct GradientSums {
  const float* mean = nullptr;  // per channel
  double* gradient = nullptr;   // sum of dz
  double* product = nullptr;    // sum of dz * (x - mean)
};
// Adds both sums of a run to `sums`, per channel, and writes run.dz where it is wanted.
template <typename T>
void add_gradient_sums(RunSize size, const GradientRun<T>& run, const GradientSums& sums);

// Holds the numbers per channel of dx = (dz - offset - (x - mean) * slope) * factor.
struct GradientTransform {
  const float* mean = nullptr;
  const float* factor = nullptr;
  const float* offset = nullptr;
  const float* slope = nullptr;
};
// Computes dx by this formula. dz is dy where y > 0, and 0 elsewhere. If `y` is null, dz is dy.
template <typename T>
void transform_gradient(
    RunSize size, const GradientTransform& by, const T* x, const T* dy, const T* y, T* dx);

}  // namespace cnnplan::onednn
