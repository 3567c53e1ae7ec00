// Tensor shapes (N, C, D, H, W); two-dimensional networks have D = 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cnnplan {

enum class Dim : std::size_t { n, c, d, h, w };
inline constexpr std::size_t dim_count = 5;
inline constexpr std::array<Dim, dim_count> all_dims{Dim::n, Dim::c, Dim::d, Dim::h, Dim::w};
// The spatial dims, in the order of every kernel, stride, padding and dilation list.
inline constexpr std::array<Dim, 3> spatial_dims{Dim::d, Dim::h, Dim::w};

// What a network is computed in. tf32: stored as fp32, convolutions may round their factors to
// TF32. bf16 and fp16: activations have 16 bits, parameters and everything that is summed are fp32.
enum class Precision { fp32, fp64, tf32, bf16, fp16 };
// Of an element of activations, error signals, samples and copies of weights.
std::int64_t activation_bytes(Precision precision);
// Of an element of master weights, gradients, momentum, scale, shift, bias and running values.
std::int64_t parameter_bytes(Precision precision);
// True where convolutions read rounded copies of their weights.
bool has_weight_copies(Precision precision);

struct Shape {
  std::array<std::int64_t, dim_count> extents{1, 1, 1, 1, 1};

  std::int64_t operator[](Dim dim) const { return extents[static_cast<std::size_t>(dim)]; }
  std::int64_t& operator[](Dim dim) { return extents[static_cast<std::size_t>(dim)]; }
  auto operator<=>(const Shape&) const = default;
};

// Number of elements. @throws InputError on overflow.
std::int64_t volume(const Shape& shape);
// "4x64x1x56x56"
std::string to_text(const Shape& shape);

}  // namespace cnnplan
