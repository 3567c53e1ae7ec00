// Declares the inner loops of direct convolutions. T is float or BFloat16, and sums are floats or
// doubles.
#pragma once

#include <cstdint>
#include <span>

namespace cnnplan::onednn {

// Says which inputs of one row of `in` go to consecutive rows of a matrix. Column j of the outputs
// gets `taps` neighbouring inputs from first + j * stride on. Inputs outside of [0, inputs) are
// padding.
struct ColumnRun {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t columns = 0;
  std::int64_t inputs = 0;
  std::int64_t taps = 0;
  std::int64_t channels = 0;    // of an input that are copied
  std::int64_t input_step = 0;  // elements from one input to the next; `channels` if taps > 1
  std::int64_t row_step = 0;    // floats from one row of the matrix to the next
};
template <typename T>
void copy_columns(const T* inputs, const ColumnRun& run, float* to);
// Writes zeros in place of the inputs.
void clear_columns(const ColumnRun& run, float* to);

// Computes to = sums + bias, clipped at zero where `relu`. `bias` may be null.
template <typename T>
void finish(const float* sums, const float* bias, bool relu, std::int64_t count, T* to);
// Sums of this many equal terms are off by at most 4e-6 in fp32. More terms are summed in doubles.
inline constexpr std::int64_t positions_in_fp32 = 128;
// Computes sums += from.
template <typename T>
void add_to_doubles(const T* from, std::int64_t count, double* sums);

// A tap of a window meets this position of the other side.
struct TapPlace {
  std::int64_t tap = 0;
  std::int64_t position = 0;
};
// Says where the channels of taps and positions are that a depthwise convolution multiplies.
struct ChannelSteps {
  std::int64_t position = 0;  // elements from one position to the next
  std::int64_t tap = 0;       // floats from one tap to the next
  std::int64_t channels = 0;  // that are multiplied
};
// Computes sums[c], the sum over the places of weight[tap][c] * x[position][c].
template <typename T>
void multiply_taps(const T* x,
                   const float* weight,
                   std::span<const TapPlace> places,
                   const ChannelSteps& steps,
                   float* sums);
// Computes sums[tap][c] += x[position][c] * dy[c] for each place.
template <typename T>
void add_outer_taps(const T* x,
                    const T* dy,
                    std::span<const TapPlace> places,
                    const ChannelSteps& steps,
                    float* sums);

}  // namespace cnnplan::onednn
