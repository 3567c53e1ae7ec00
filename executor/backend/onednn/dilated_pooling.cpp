// Walks the taps of each window that meet an input. Each tap is a loop over all channels.
#include "executor/backend/onednn/dilated_pooling.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// The first tap with the maximum stays. An index below zero says that there was no tap yet.
template <typename T>
CNNPLAN_VECTORIZED void take_larger(const T* __restrict x,
                                    std::int32_t tap,
                                    std::int64_t channels,
                                    T* __restrict y,
                                    std::int32_t* __restrict index) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const bool larger = (index[c] < 0) | (x[c] > y[c]);
    y[c] = larger ? x[c] : y[c];
    index[c] = larger ? tap : index[c];
  }
}

template <typename T>
CNNPLAN_VECTORIZED void add_where_taken(const T* __restrict dy,
                                        const std::int32_t* __restrict index,
                                        std::int32_t tap,
                                        std::int64_t channels,
                                        float* __restrict dx) {
  for (std::int64_t c = 0; c < channels; ++c) {
    dx[c] += index[c] == tap ? dy[c] : 0.0F;
  }
}

// Computes to += factor * from.
template <typename T>
CNNPLAN_VECTORIZED void add_scaled(const T* __restrict from,
                                   float factor,
                                   std::int64_t channels,
                                   float* __restrict to) {
  for (std::int64_t c = 0; c < channels; ++c) to[c] += factor * from[c];
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

// Returns one over the number of elements that the average of a window is taken over.
float average_share(const KernelSpec& spec, const PlacedWindow& placed) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < placed.taps.size(); ++i) {
    count *= spec.count_include_padding ? spec.window.dims[i].kernel : placed.taps[i].size();
  }
  return 1.0F / static_cast<float>(count);
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
      take_larger(x + input, tap, spec.in[Dim::c], y + placed.output, index + placed.output);
    });
  });
}

// `sums` has room for dx.
template <typename T>
void max_backward(const KernelSpec& spec, const OperandsByRole& operands, FloatRow<T>& sums) {
  const auto* index = dense<const std::int32_t>(operands[Role::index], spec.out);
  const auto* dy = dense<const T>(operands[Role::dy], spec.out);
  auto* dx = dense<T>(operands[Role::dx], spec.in);
  float* sum = sums.open(dx);
  std::fill_n(sum, volume(spec.in), 0.0F);
  for_each_window(spec, [&](const PlacedWindow& placed) {
    for_each_tap(spec, placed, [&](std::int32_t tap, std::int64_t input) {
      add_where_taken(dy + placed.output, index + placed.output, tap, spec.in[Dim::c], sum + input);
    });
  });
  sums.close(dx);
}

// `sums` has room for the channels of a position.
template <typename T>
void average_forward(const KernelSpec& spec, const OperandsByRole& operands, FloatRow<T>& sums) {
  const auto* x = dense<const T>(operands[Role::x], spec.in);
  auto* y = dense<T>(operands[Role::y], spec.out);
  for_each_window(spec, [&](const PlacedWindow& placed) {
    const float share = average_share(spec, placed);
    float* sum = sums.open(y + placed.output);
    std::fill_n(sum, spec.out[Dim::c], 0.0F);
    for_each_tap(spec, placed, [&](std::int32_t, std::int64_t input) {
      add_scaled(x + input, share, spec.in[Dim::c], sum);
    });
    sums.close(y + placed.output);
  });
}

// `sums` has room for dx.
template <typename T>
void average_backward(const KernelSpec& spec, const OperandsByRole& operands, FloatRow<T>& sums) {
  const auto* dy = dense<const T>(operands[Role::dy], spec.out);
  auto* dx = dense<T>(operands[Role::dx], spec.in);
  float* sum = sums.open(dx);
  std::fill_n(sum, volume(spec.in), 0.0F);
  for_each_window(spec, [&](const PlacedWindow& placed) {
    const float share = average_share(spec, placed);
    for_each_tap(spec, placed, [&](std::int32_t, std::int64_t input) {
      add_scaled(dy + placed.output, share, spec.in[Dim::c], sum + input);
    });
  });
  sums.close(dx);
}

template <typename T>
void run(const KernelSpec& spec, const OperandsByRole& operands, FloatRow<T>& sums) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  if (spec.pooling == PoolingMode::max) {
    is_forward ? max_forward<T>(spec, operands) : max_backward<T>(spec, operands, sums);
  } else {
    is_forward ? average_forward<T>(spec, operands, sums)
               : average_backward<T>(spec, operands, sums);
  }
}

}  // namespace

bool is_dilated(const Window& window) {
  return std::any_of(window.dims.begin(), window.dims.end(), [](const WindowDim& dim) {
    return dim.dilation != 1;
  });
}

std::unique_ptr<Kernel> make_dilated_pooling(const KernelSpec& spec) {
  const std::int64_t summed_at_once =
      spec.phase == KernelPhase::forward ? spec.out[Dim::c] : volume(spec.in);
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    FloatRow<T> sums(summed_at_once);
    const std::int64_t bytes = sums.bytes();
    return std::make_unique<FunctionKernel>(
        "loops",
        spec,
        [spec, sums = std::move(sums)](const OperandsByRole& operands, const StepState&) mutable {
          run<T>(spec, operands, sums);
        },
        bytes);
  });
}

}  // namespace cnnplan::onednn
