// Describes shapes of tensors (N, C, D, H, W). Two-dimensional networks have D = 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cnnplan {

// Names the directions of a tensor: samples, channels, depth, height and width.
enum class Dim : std::size_t { n, c, d, h, w };
inline constexpr std::size_t dim_count = 5;
inline constexpr std::array<Dim, dim_count> all_dims{Dim::n, Dim::c, Dim::d, Dim::h, Dim::w};
// Lists the spatial dims in the order that kernels, strides, paddings and dilations use.
inline constexpr std::array<Dim, 3> spatial_dims{Dim::d, Dim::h, Dim::w};

// Names the precision in which a network is computed. With tf32, numbers are stored as fp32, and
// convolutions may round their factors to TF32. With bf16 and fp16, activations have 16 bits,
// parameters are fp32, and sums are fp32 or fp64.
enum class Precision { fp32, fp64, tf32, bf16, fp16 };
// Returns the bytes of one element of activations, error signals, samples and copies of weights.
std::int64_t activation_bytes(Precision precision);
// Returns the bytes of one element of master weights, gradients, momentum, scale, shift, bias and
// running values.
std::int64_t parameter_bytes(Precision precision);
// True if convolutions read rounded copies of their weights.
bool has_weight_copies(Precision precision);

// Holds the extents of a whole tensor or of a block, by dim.
struct Shape {
  std::array<std::int64_t, dim_count> extents{1, 1, 1, 1, 1};

  std::int64_t operator[](Dim dim) const { return extents[static_cast<std::size_t>(dim)]; }
  std::int64_t& operator[](Dim dim) { return extents[static_cast<std::size_t>(dim)]; }
  auto operator<=>(const Shape&) const = default;
};

// Returns the number of elements. @throws InputError on overflow
std::int64_t volume(const Shape& shape);
// Returns a text such as "4x64x1x56x56".
std::string to_text(const Shape& shape);

}  // namespace cnnplan
