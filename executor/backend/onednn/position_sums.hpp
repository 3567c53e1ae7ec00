// Sums over many positions. Floats are added over few terms, and doubles over all others, so that
// no sum loses the small terms.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// A float adds at most this many terms. Rounding then costs at most 2.5e-6 of a sum of equal terms,
// where all errors have one sign.
inline constexpr std::int64_t most_float_terms = 128;

// Adds the sums over `positions` consecutive positions to `sums`, per channel. T is float or
// BFloat16.
template <typename T>
void add_positions(const T* from, std::int64_t positions, std::int64_t channels, double* sums);
// Adds the sums of factors[p] * from[p][c] over consecutive positions p to sums[c].
template <typename T>
void add_scaled_positions(
    const T* factors, const T* from, std::int64_t positions, std::int64_t channels, double* sums);
// These functions add parts, each of which has `count` sums over some of the positions. Call
// copy_part() for the first part, which sets the totals, and add_part() for each further part
// except the last. finish_parts() then sets the last part to the sum of all parts, rounded.
void copy_part(const float* part, std::int64_t count, double* totals);
void add_part(const float* part, std::int64_t count, double* totals);
void finish_parts(const double* totals, std::int64_t count, float* part);

}  // namespace cnnplan::onednn
