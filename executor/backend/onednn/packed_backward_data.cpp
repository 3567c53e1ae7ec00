// The gradient of a convolution's input over packed panels. Inputs that are a stride apart see the
// same taps: for each such class it is a convolution of dy, without stride, with those taps in
// reverse.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"
#include "executor/backend/onednn/panel_convolution.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// In one dim: inputs begin, begin + stride, ...
struct DimClass {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t> taps;  // of the kernel, last first
  WindowDim window;                // from dy to these inputs
};

std::vector<DimClass> classes_of(const WindowDim& window, std::int64_t inputs) {
  std::vector<DimClass> classes;
  for (std::int64_t begin = 0; begin < std::min(window.stride, inputs); ++begin) {
    DimClass one{.begin = begin, .count = (inputs - begin + window.stride - 1) / window.stride};
    const std::int64_t padded = begin + window.padding_begin;
    for (std::int64_t tap = window.kernel - 1; tap >= 0; --tap) {
      if ((padded - tap * window.dilation) % window.stride == 0) one.taps.push_back(tap);
    }
    if (!one.taps.empty()) {
      one.window.kernel = std::ssize(one.taps);
      if (one.window.kernel > 1) {
        one.window.dilation = window.dilation / std::gcd(window.dilation, window.stride);
      }
      one.window.padding_begin = (one.taps.front() * window.dilation - padded) / window.stride;
    }
    classes.push_back(std::move(one));
  }
  return classes;
}

// Of all dims.
struct InputClass {
  std::array<std::int64_t, 3> begin{};
  Shape shape{};                   // of the inputs
  std::vector<std::int64_t> taps;  // of the kernel, in the order of the convolution's
  PanelConvolution convolution;
};

InputClass make_class(const KernelSpec& spec, const std::array<const DimClass*, 3>& dims) {
  KernelSpec inner;
  inner.in = spec.out;
  inner.out = {{spec.in[Dim::n], spec.in[Dim::c], 1, 1, 1}};
  std::array<std::int64_t, 3> begin{};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    begin[i] = dims[i]->begin;
    inner.out[spatial_dims[i]] = dims[i]->count;
    inner.window.dims[i] = dims[i]->window;
  }
  std::vector<std::int64_t> taps;
  for (const std::int64_t d : dims[0]->taps) {
    for (const std::int64_t h : dims[1]->taps) {
      for (const std::int64_t w : dims[2]->taps) {
        taps.push_back((d * spec.window.dims[1].kernel + h) * spec.window.dims[2].kernel + w);
      }
    }
  }
  return {begin, inner.out, std::move(taps), PanelConvolution(inner)};
}

// Those that a tap reaches: where a stride is longer than its kernel, others are not there.
std::vector<InputClass> input_classes(const KernelSpec& spec) {
  std::array<std::vector<DimClass>, 3> dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i] = classes_of(spec.window.dims[i], spec.in[spatial_dims[i]]);
  }
  std::vector<InputClass> classes;
  for (const DimClass& d : dims[0]) {
    for (const DimClass& h : dims[1]) {
      for (const DimClass& w : dims[2]) {
        if (d.taps.empty() || h.taps.empty() || w.taps.empty()) continue;
        classes.push_back(make_class(spec, {&d, &h, &w}));
      }
    }
  }
  return classes;
}

class BackwardData {
 public:
  explicit BackwardData(const KernelSpec& spec) : spec_(spec), classes_(input_classes(spec)) {
    for (const InputClass& one : classes_) {
      floats_ = std::max(floats_, one.convolution.workspace_floats() + weight_floats(one));
      reached_ += volume(one.shape);
    }
  }

  std::int64_t workspace_bytes() const {
    return floats_ * static_cast<std::int64_t>(sizeof(float));
  }

  void run(const float* dy, const float* weight, float* dx) const {
    if (reached_ < volume(spec_.in)) std::fill_n(dx, volume(spec_.in), 0.0F);
    const Workspace workspace(static_cast<std::size_t>(workspace_bytes()));
    auto* const weights = reinterpret_cast<float*>(workspace.data());
    for (const InputClass& one : classes_) {
      transpose_weights(one, weight, weights);
      one.convolution.run(
          dy,
          weights,
          weights + weight_floats(one),
          [&](const PositionBox& piece, const float* sums) { write(one, piece, sums, dx); });
    }
  }

 private:
  static constexpr std::int64_t block = panel_channels * panel_channels;
  std::int64_t weight_floats(const InputClass& one) const {
    return std::ssize(one.taps) * spec_.in[Dim::c] * spec_.out[Dim::c];
  }

  void transpose_weights(const InputClass& one, const float* weight, float* to) const {
    const std::int64_t inputs = spec_.in[Dim::c] / panel_channels;
    const std::int64_t outputs = spec_.out[Dim::c] / panel_channels;
    const std::int64_t taps = weight_volume(spec_) / (spec_.in[Dim::c] * spec_.out[Dim::c]);
    for (std::int64_t in = 0; in < inputs; ++in) {
      for (std::int64_t out = 0; out < outputs; ++out) {
        const float* const from = weight + (out * inputs + in) * taps * block;
        for (const std::int64_t tap : one.taps) {
          transpose_block(from + tap * block, to);
          to += block;
        }
      }
    }
  }

  void write(const InputClass& one, const PositionBox& piece, const float* sums, float* dx) const {
    const std::int64_t columns = one.convolution.window().columns();
    // Rows of a single column are one run of positions, others a run each.
    const std::int64_t runs = columns == 1 ? 1 : piece.rows;
    const std::int64_t count = columns == 1 ? piece.rows : piece.columns;
    for (std::int64_t run = 0; run < runs; ++run) {
      write_run(one,
                (piece.row + run) * columns + piece.column,
                count,
                sums + run * count * panel_channels,
                dx);
    }
  }

  // Positions of the class from `position` on, which may go on in its next rows.
  void write_run(const InputClass& one,
                 std::int64_t position,
                 std::int64_t count,
                 const float* sums,
                 float* dx) const {
    const std::int64_t width = one.shape[Dim::w];
    while (count > 0) {
      const std::int64_t here = std::min(count, width - position % width);
      unpack_positions(sums,
                       one.convolution.outputs(),
                       {},
                       spec_.window.dims[2].stride * spec_.in[Dim::c],
                       here,
                       dx + input_position(one, position) * spec_.in[Dim::c]);
      sums += here * panel_channels;
      position += here;
      count -= here;
    }
  }

  // Of a position of the class.
  std::int64_t input_position(const InputClass& one, std::int64_t position) const {
    std::array<std::int64_t, 3> place{};
    for (std::size_t i = place.size(); i-- > 0;) {
      const std::int64_t length = one.shape[spatial_dims[i]];
      place[i] = one.begin[i] + position % length * spec_.window.dims[i].stride;
      position /= length;
    }
    for (std::size_t i = 0; i < place.size(); ++i) {
      position = position * spec_.in[spatial_dims[i]] + place[i];
    }
    return position;
  }

  KernelSpec spec_;
  std::vector<InputClass> classes_;
  std::int64_t floats_ = 0;
  std::int64_t reached_ = 0;  // elements of inputs in classes
};

}  // namespace

bool has_packed_backward_data(const KernelSpec& spec) {
  return spec.phase == KernelPhase::backward_data && has_panel_weights(spec);
}

std::unique_ptr<Kernel> make_packed_backward_data(const KernelSpec& spec) {
  BackwardData gradient(spec);
  const std::int64_t bytes = gradient.workspace_bytes();
  return std::make_unique<FunctionKernel>(
      "packed panels",
      3,
      [gradient = std::move(gradient)](Operands operands, const StepState&) {
        gradient.run(
            operands[0].as<const float>(), operands[1].as<const float>(), operands[2].as<float>());
      },
      bytes);
}

}  // namespace cnnplan::onednn
