// Walks the taps of each window that meet an input, or the windows that read an input. Each is a
// loop over all channels.
#include "executor/backend/onednn/dilated_pooling.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/finite_numbers.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/position_sums.hpp"
#include "executor/backend/onednn/positions.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// The first tap with the maximum stays. Not-a-number, which equals not even itself, stays, too, and
// minus infinity becomes it. An index below zero says that there was no tap yet.
template <typename T>
CNNPLAN_INLINE void take_larger(const T* __restrict x,
                                std::int32_t tap,
                                std::int64_t channels,
                                T* __restrict y,
                                std::int32_t* __restrict index) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const T value = T(seen_by_maximum(Computed<T>(x[c])));
    const bool larger = (index[c] < 0) | (!(value <= y[c]) & (y[c] == y[c]));
    y[c] = larger ? value : y[c];
    index[c] = larger ? tap : index[c];
  }
}

template <typename T>
CNNPLAN_INLINE void add_where_taken(const T* __restrict dy,
                                    const std::int32_t* __restrict index,
                                    std::int32_t tap,
                                    std::int64_t channels,
                                    double* __restrict sums) {
  for (std::int64_t c = 0; c < channels; ++c) {
    sums[c] += index[c] == tap ? dy[c] : 0.0F;
  }
}

// Computes sums += factor * from.
template <typename T>
CNNPLAN_INLINE void add_scaled(const T* __restrict from,
                               double factor,
                               std::int64_t channels,
                               double* __restrict sums) {
  for (std::int64_t c = 0; c < channels; ++c) sums[c] += factor * from[c];
}

template <typename T>
CNNPLAN_INLINE void write_scaled(const double* __restrict sums,
                                 double factor,
                                 std::int64_t channels,
                                 T* __restrict to) {
  for (std::int64_t c = 0; c < channels; ++c) to[c] = stored<T>(factor * sums[c]);
}

template <typename T>
T* dense(const TensorView& view, const Shape& shape) {
  require_shape(view, shape);
  if (!is_dense(view)) throw std::logic_error("pooling of a block inside a larger buffer");
  return view.as<T>();
}

// Places the window of one output position. Offsets are in elements of the dense blocks.
struct PlacedWindow {
  std::int64_t output = 0;              // where the channels of its output begin
  std::int64_t sample = 0;              // where the inputs of its sample begin
  std::array<std::int64_t, 3> first{};  // input position (d, h, w) of tap 0, may lie in the padding
  std::array<std::int64_t, 3> place{};  // output position (d, h, w)
  std::array<Range, 3> taps;            // the taps that meet an input
};

Range taps_inside(const WindowDim& dim, std::int64_t first, std::int64_t length) {
  const auto taps_before = [&](std::int64_t position) {
    const std::int64_t distance = std::max<std::int64_t>(0, position - first);
    return std::min(dim.kernel, (distance + dim.dilation - 1) / dim.dilation);
  };
  return {taps_before(0), taps_before(length)};
}

template <typename F>
void for_each_window(const KernelSpec& spec, F f) {
  PlacedWindow placed;
  const auto place = [&](std::size_t i, std::int64_t output) {
    const WindowDim& dim = spec.window.dims[i];
    placed.place[i] = output;
    placed.first[i] = output * dim.stride - dim.padding_begin;
    placed.taps[i] = taps_inside(dim, placed.first[i], spec.in[spatial_dims[i]]);
  };
  const std::int64_t sample_inputs = volume(spec.in) / spec.in[Dim::n];
  for (std::int64_t n = 0; n < spec.out[Dim::n]; ++n, placed.sample += sample_inputs) {
    for (std::int64_t d = 0; d < spec.out[Dim::d]; ++d) {
      place(0, d);
      for (std::int64_t h = 0; h < spec.out[Dim::h]; ++h) {
        place(1, h);
        for (std::int64_t w = 0; w < spec.out[Dim::w]; ++w, placed.output += spec.out[Dim::c]) {
          place(2, w);
          f(placed);
        }
      }
    }
  }
}

// Calls f(tap, offset of the input's channels). Taps are numbered over (KD, KH, KW).
template <typename F>
void for_each_tap(const KernelSpec& spec, const PlacedWindow& placed, F f) {
  const auto& [depth, height, width] = spec.window.dims;
  const auto& [first_d, first_h, first_w] = placed.first;
  const auto& [taps_d, taps_h, taps_w] = placed.taps;
  for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
    const std::int64_t d = first_d + i * depth.dilation;
    for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
      const std::int64_t row = d * spec.in[Dim::h] + first_h + j * height.dilation;
      for (std::int64_t k = taps_w.begin; k < taps_w.end; ++k) {
        const std::int64_t position = row * spec.in[Dim::w] + first_w + k * width.dilation;
        f(static_cast<std::int32_t>((i * height.kernel + j) * width.kernel + k),
          placed.sample + position * spec.in[Dim::c]);
      }
    }
  }
}

// Calls f(offset of the first input's channels, positions) for runs of inputs that a window reads.
template <typename F>
void for_each_run(const KernelSpec& spec, const PlacedWindow& placed, F f) {
  const std::int64_t columns = placed.taps[2].size();
  const bool is_run = spec.window.dims[2].dilation == 1 && columns > 0;
  PlacedWindow runs = placed;
  if (is_run) runs.taps[2].end = runs.taps[2].begin + 1;
  for_each_tap(
      spec, runs, [&](std::int32_t, std::int64_t input) { f(input, is_run ? columns : 1); });
}

// Calls f(output, tap) for each output of one dim whose window reads `input` by this tap.
template <typename F>
void for_each_reader(const WindowDim& dim, std::int64_t input, std::int64_t outputs, F f) {
  const std::int64_t place = input + dim.padding_begin;
  const std::int64_t from = std::max<std::int64_t>(0, place - dim.reach() + dim.stride);
  const std::int64_t last = std::min(outputs - 1, place / dim.stride);
  for (std::int64_t output = from / dim.stride; output <= last; ++output) {
    const std::int64_t distance = place - output * dim.stride;
    if (distance % dim.dilation == 0) f(output, distance / dim.dilation);
  }
}

// Calls f(output d, h, w, tap) for each output whose window reads the input at `place`.
template <typename F>
void for_each_reader(const KernelSpec& spec, const Position& place, F f) {
  // Clang 14 does not let lambdas use structured bindings.
  const WindowDim& height = spec.window.dims[1];
  const WindowDim& width = spec.window.dims[2];
  for_each_reader(
      spec.window.dims[0], place.d, spec.out[Dim::d], [&](std::int64_t d, std::int64_t i) {
        for_each_reader(height, place.h, spec.out[Dim::h], [&](std::int64_t h, std::int64_t j) {
          for_each_reader(width, place.w, spec.out[Dim::w], [&](std::int64_t w, std::int64_t k) {
            f(d, h, w, static_cast<std::int32_t>((i * height.kernel + j) * width.kernel + k));
          });
        });
      });
}

// Returns one over the number of elements of one dim that the average of a window is taken over.
double share_of(const KernelSpec& spec, std::size_t dim, std::int64_t output) {
  const WindowDim& window = spec.window.dims[dim];
  if (spec.count_include_padding) return 1.0 / static_cast<double>(window.kernel);
  const std::int64_t first = output * window.stride - window.padding_begin;
  return 1.0 / static_cast<double>(taps_inside(window, first, spec.in[spatial_dims[dim]]).size());
}

double average_share(const KernelSpec& spec, const std::array<std::int64_t, 3>& output) {
  double share = 1.0;
  for (std::size_t i = 0; i < output.size(); ++i) share *= share_of(spec, i, output[i]);
  return share;
}

template <typename T>
void max_forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto* x = dense<const T>(operands[Role::x], spec.in);
  auto* y = dense<T>(operands[Role::y], spec.out);
  auto* index = dense<std::int32_t>(operands[Role::index], spec.out);
  std::fill_n(y, volume(spec.out), T(0.0F));
  std::fill_n(index, volume(spec.out), -1);
  for_each_window(spec, [&](const PlacedWindow& placed) {
    for_each_tap(spec, placed, [&](std::int32_t tap, std::int64_t input) {
      vectorized<take_larger<T>>(
          x + input, tap, spec.in[Dim::c], y + placed.output, index + placed.output);
    });
  });
}

// `sums` has room for the channels of a position.
template <typename T>
void average_forward(const KernelSpec& spec,
                     const OperandsByRole& operands,
                     std::vector<double>& sums) {
  const std::int64_t channels = spec.in[Dim::c];
  const auto* x = dense<const T>(operands[Role::x], spec.in);
  auto* y = dense<T>(operands[Role::y], spec.out);
  for_each_window(spec, [&](const PlacedWindow& placed) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for_each_run(spec, placed, [&](std::int64_t input, std::int64_t positions) {
      add_positions(x + input, positions, channels, sums.data());
    });
    const double share = average_share(spec, placed.place);
    vectorized<write_scaled<T>>(sums.data(), share, channels, y + placed.output);
  });
}

// Calls add(d, h, w, tap, offset of the output's channels) for each output that reads an input, and
// writes the sums of the input.
template <typename T, typename Add>
void sum_readers(const KernelSpec& spec, const TensorView& dx, std::vector<double>& sums, Add add) {
  const std::int64_t channels = spec.in[Dim::c];
  auto* to = dense<T>(dx, spec.in);
  for_each_position(spec.in, [&](const Position& place) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for_each_reader(
        spec, place, [&](std::int64_t d, std::int64_t h, std::int64_t w, std::int32_t tap) {
          const std::int64_t row = (place.n * spec.out[Dim::d] + d) * spec.out[Dim::h] + h;
          add({d, h, w}, tap, (row * spec.out[Dim::w] + w) * channels);
        });
    vectorized<write_scaled<T>>(sums.data(), 1.0, channels, to);
    to += channels;
  });
}

template <typename T>
void backward(const KernelSpec& spec, const OperandsByRole& operands, std::vector<double>& sums) {
  const auto* dy = dense<const T>(operands[Role::dy], spec.out);
  using Output = std::array<std::int64_t, 3>;
  if (spec.pooling == PoolingMode::max) {
    const auto* index = dense<const std::int32_t>(operands[Role::index], spec.out);
    const auto add = [&](const Output&, std::int32_t tap, std::int64_t output) {
      vectorized<add_where_taken<T>>(
          dy + output, index + output, tap, spec.in[Dim::c], sums.data());
    };
    sum_readers<T>(spec, operands[Role::dx], sums, add);
  } else {
    const auto add = [&](const Output& place, std::int32_t, std::int64_t output) {
      vectorized<add_scaled<T>>(
          dy + output, average_share(spec, place), spec.in[Dim::c], sums.data());
    };
    sum_readers<T>(spec, operands[Role::dx], sums, add);
  }
}

template <typename T>
void run(const KernelSpec& spec, const OperandsByRole& operands, std::vector<double>& sums) {
  if (spec.phase != KernelPhase::forward) {
    backward<T>(spec, operands, sums);
  } else if (spec.pooling == PoolingMode::max) {
    max_forward<T>(spec, operands);
  } else {
    average_forward<T>(spec, operands, sums);
  }
}

}  // namespace

bool is_dilated(const Window& window) {
  return std::any_of(window.dims.begin(), window.dims.end(), [](const WindowDim& dim) {
    return dim.dilation != 1;
  });
}

void spread_not_a_number(const KernelSpec& spec, const TensorView& x, const TensorView& y) {
  with_activation(spec.precision, [&]<typename T>(T) {
    const auto* from = dense<const T>(x, spec.in);
    if (are_finite(activation_element(spec.precision), from, volume(spec.in))) return;
    auto* to = dense<T>(y, spec.out);
    for_each_window(spec, [&](const PlacedWindow& placed) {
      for_each_tap(spec, placed, [&](std::int32_t, std::int64_t input) {
        for (std::int64_t c = 0; c < spec.in[Dim::c]; ++c) {
          const T value = T(seen_by_maximum(Computed<T>(from[input + c])));
          if (value != value) to[placed.output + c] = value;
        }
      });
    });
  });
}

bool sums_many_terms(const KernelSpec& spec) {
  const bool is_max = spec.pooling == PoolingMode::max;
  std::int64_t terms = 1;
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    const WindowDim& dim = spec.window.dims[i];
    const std::int64_t readers = (dim.kernel + dim.stride - 1) / dim.stride;
    if (is_max) {
      terms *= readers;
    } else if (spec.phase == KernelPhase::forward) {
      terms *= dim.kernel;
    } else {
      terms *= std::min(readers, spec.out[spatial_dims[i]]);
    }
  }
  // Both phases of a maximum must agree on the format of its index. oneDNN is much faster for the
  // 169 windows of 13 x 13 that share a maximum in some networks.
  return terms > (is_max ? 2 * most_float_terms : most_float_terms);
}

std::unique_ptr<Kernel> make_dilated_pooling(const KernelSpec& spec) {
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops",
        spec,
        [spec, sums = std::vector<double>(spec.in[Dim::c])](const OperandsByRole& operands,
                                                            const StepState&) mutable {
          run<T>(spec, operands, sums);
        });
  });
}

}  // namespace cnnplan::onednn
