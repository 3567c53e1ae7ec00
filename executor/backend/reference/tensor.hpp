// Gives access to elements and loops over indices. All reference kernels are made of these.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/reference/widening_kernel.hpp"

namespace cnnplan::reference {

// Holds local indices in the order (n, c, d, h, w). The constants are places in this order.
using Index = std::array<std::int64_t, dim_count>;
inline constexpr std::size_t channel_dim = 1;
inline constexpr std::size_t first_spatial_dim = 2;

// Gives access to the elements of a block by their local indices.
template <typename T>
struct Tensor {
  T* data = nullptr;
  std::array<std::int64_t, dim_count> strides{};

  T& operator[](const Index& index) const {
    std::int64_t offset = 0;
    for (std::size_t dim = 0; dim < dim_count; ++dim) offset += index[dim] * strides[dim];
    return data[offset];
  }
};

// Returns access to the elements of a view by local indices, which are 0 at the view's first
// element.
// @throws std::logic_error when the view is not of `shape`
template <typename T>
Tensor<T> tensor(const TensorView& view, const Shape& shape) {
  require_shape(view, shape);
  return {.data = view.as<T>(), .strides = view.strides};
}

// Calls f(Index) for all indices of `shape`, in the order (n, d, h, w, c) of memory.
template <typename F>
void for_each_index(const Shape& shape, F f) {
  for (std::int64_t n = 0; n < shape[Dim::n]; ++n) {
    for (std::int64_t d = 0; d < shape[Dim::d]; ++d) {
      for (std::int64_t h = 0; h < shape[Dim::h]; ++h) {
        for (std::int64_t w = 0; w < shape[Dim::w]; ++w) {
          for (std::int64_t c = 0; c < shape[Dim::c]; ++c) f(Index{n, c, d, h, w});
        }
      }
    }
  }
}

// Calls f(tap, input index) for every tap of the window of `output` that meets an input of `in`.
// Taps are numbered over (KD, KH, KW). The input index has the n and c of `output`.
template <typename F>
void for_each_tap(const Window& window, const Shape& in, const Index& output, F f) {
  const auto& [kd, kh, kw] = window.dims;
  const auto input_at = [](const WindowDim& dim, std::int64_t out, std::int64_t tap) {
    return out * dim.stride - dim.padding_begin + tap * dim.dilation;
  };
  std::int64_t tap = 0;
  for (std::int64_t i = 0; i < kd.kernel; ++i) {
    for (std::int64_t j = 0; j < kh.kernel; ++j) {
      for (std::int64_t k = 0; k < kw.kernel; ++k, ++tap) {
        const std::int64_t d = input_at(kd, output[2], i);
        const std::int64_t h = input_at(kh, output[3], j);
        const std::int64_t w = input_at(kw, output[4], k);
        const bool inside =
            d >= 0 && d < in[Dim::d] && h >= 0 && h < in[Dim::h] && w >= 0 && w < in[Dim::w];
        if (inside) f(tap, Index{output[0], output[1], d, h, w});
      }
    }
  }
}

// Holds the sums of a block. They are doubles in every precision, and are rounded once.
class BlockSums {
 public:
  explicit BlockSums(const Shape& shape)
      : shape_(shape), values_(volume(shape)), sums_(tensor<double>(view(), shape)) {}

  double& operator[](const Index& index) { return sums_[index]; }
  // Writes the rounded sums to a block of equal shape.
  template <typename T>
  void store(const Tensor<T>& to) const {
    for_each_index(shape_, [&](const Index& i) { to[i] = stored<T>(sums_[i]); });
  }
  // Returns the memory that the sums of a block of this shape take.
  static std::int64_t bytes(const Shape& shape) {
    return volume(shape) * static_cast<std::int64_t>(sizeof(double));
  }

 private:
  TensorView view() {
    return view_of(values_.data(), whole(shape_), whole(shape_), sizeof(double));
  }

  Shape shape_;
  std::vector<double> values_;
  Tensor<double> sums_;
};

// Returns the number of taps of a window.
constexpr std::int64_t kernel_volume(const Window& window) {
  std::int64_t product = 1;
  for (const WindowDim& dim : window.dims) product *= dim.kernel;
  return product;
}

// Makes a kernel that calls `body(T{}, operands, state)` with T double for fp64, else float. The
// body never sees an operand of 16 bits. `workspace_bytes` counts the memory that `body` allocates.
template <typename Body>
std::unique_ptr<Kernel> make_loops(const KernelSpec& spec,
                                   Body body,
                                   std::int64_t workspace_bytes = 0) {
  const auto run = [spec, body](const OperandsByRole& operands, const StepState& state) {
    if (spec.precision == Precision::fp64) {
      body(double{}, operands, state);
    } else {
      body(float{}, operands, state);
    }
  };
  if (activation_bytes(spec.precision) == 2) {
    return std::make_unique<WideningKernel>(spec, run, workspace_bytes);
  }
  return std::make_unique<FunctionKernel>("reference", spec, run, workspace_bytes);
}

}  // namespace cnnplan::reference
