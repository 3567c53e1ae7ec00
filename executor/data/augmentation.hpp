// Windows and mirror images of stored samples: what training sees of them in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

struct Augmentation {
  bool crops = false;        // samples need not have the size of the network's input
  std::int64_t padding = 0;  // zeros on every side of a sample, where windows may lie, too
  bool mirrors = false;      // left and right are exchanged in half of the samples
  bool operator==(const Augmentation&) const = default;
};

// As files and the command line have it: the padding, where anything is cropped.
inline std::optional<std::int64_t> crop_of(const Augmentation& augmentation) {
  return augmentation.crops ? std::optional(augmentation.padding) : std::nullopt;
}

// Where the network's input lies in a stored sample.
struct Placement {
  std::array<std::int64_t, 3> first{};  // d, h, w of the window's first element; below 0 in padding
  bool mirrored = false;                // the window's last column comes first
  bool operator==(const Placement&) const = default;
};

// The window in the middle, which is the whole sample where nothing is cropped.
Placement centred(const Shape& stored, const Shape& window);

// Drawn for one sample, by its place in the file, in one pass: the same for all plans and ranks.
// @pre extents of `stored` with the padding are those of `window` at least; padding is for dims
// that have more than one element
Placement drawn(const Augmentation& augmentation,
                const Shape& stored,
                const Shape& window,
                std::uint64_t seed,
                std::int64_t pass,
                std::int64_t sample);

// Padding of a sample in a dim of this extent.
constexpr std::int64_t padding_of(const Augmentation& augmentation, std::int64_t extent) {
  return extent > 1 ? augmentation.padding : 0;
}

}  // namespace cnnplan
