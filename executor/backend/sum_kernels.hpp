// Declares the inner loops of reductions, vectorised for the processor that runs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cnnplan {

// The ranges of one call have `count` elements, are in memory of the host and do not overlap.

// Computes own += received.
void add(float* own, const float* received, std::int64_t count);
void add(double* own, const double* received, std::int64_t count);
// Computes own += received; forward = own.
void add_and_forward(float* own, const float* received, float* forward, std::int64_t count);
void add_and_forward(double* own, const double* received, double* forward, std::int64_t count);
// Computes own = forward = received.
void copy_and_forward(float* own, const float* received, float* forward, std::int64_t count);
void copy_and_forward(double* own, const double* received, double* forward, std::int64_t count);
// Copies with stores that bypass the caches of this core. The copy is complete when it returns.
// @pre `to` is aligned to 16 bytes
void stream(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace cnnplan
