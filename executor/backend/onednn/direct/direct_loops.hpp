// Declares the inner loops of direct convolutions. T is float or BFloat16, and sums are floats or
// doubles.
#pragma once

#include <cstdint>
#include <span>

namespace cnnplan::onednn {

// Says where some channels of some positions are, and where they go.
struct CopySteps {
  std::int64_t positions = 0;
  std::int64_t channels = 0;
  std::int64_t from = 0;  // elements from one position to the next
  std::int64_t to = 0;    // floats from one position to the next, or from one channel to the next
};
// Computes to[steps.to * p + c] = from[steps.from * p + c].
template <typename T>
void copy_rows(const T* from, const CopySteps& steps, float* to);
// Computes to[p + steps.to * c] = from[steps.from * p + c].
template <typename T>
void copy_columns(const T* from, const CopySteps& steps, float* to);

// Computes to = sums + bias for `count` channels of a position, clipped at zero if `relu`. `bias`
// may be null.
template <typename T>
void finish(const float* sums, const float* bias, bool relu, std::int64_t count, T* to);
// Sums of at most this number of terms are added in fp32, and others in doubles. With equal terms,
// the error of such a sum is at most 4e-6 of it.
inline constexpr std::int64_t positions_in_fp32 = 128;
// Computes sums += from.
template <typename T>
void add_to_doubles(const T* from, std::int64_t count, double* sums);

// Names a tap of a window and the position that it meets: an input if outputs are computed, and an
// output if inputs are. Both are local numbers, of positions over (n, d, h, w).
struct TapPlace {
  std::int64_t tap = 0;
  std::int64_t position = 0;
};
// Describes consecutive positions of a row, which meet equal taps. `places` are those of the first
// position. From one position to the next, they move by `step` positions.
struct TapRun {
  std::span<const TapPlace> places;  // of the first position
  std::int64_t positions = 1;        // how many follow each other
  std::int64_t step = 0;
};
// Says where the channels of taps and positions are that a depthwise convolution multiplies.
struct ChannelSteps {
  std::int64_t position = 0;  // elements from one position to the next
  std::int64_t tap = 0;       // floats from one tap to the next
  std::int64_t channels = 0;  // that are multiplied
};
// Computes sums[p][c], the sum over the places of weight[tap][c] * x[position + p * step][c], for
// the positions p of the run. The sums are dense.
template <typename T>
void multiply_taps(
    const T* x, const float* weight, const TapRun& run, const ChannelSteps& steps, float* sums);
// Computes sums[tap][c] += x[position + p * step][c] * dy[p][c] for each place and each position p
// of the run.
template <typename T>
void add_outer_taps(
    const T* x, const T* dy, const TapRun& run, const ChannelSteps& steps, float* sums);

}  // namespace cnnplan::onednn
