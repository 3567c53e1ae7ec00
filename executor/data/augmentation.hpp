// Chooses the window and the mirroring of each stored sample that training sees in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Says how samples are changed at random while a network trains.
struct Augmentation {
  bool crops = false;        // windows are cut out; samples may be larger or smaller than the input
  std::int64_t padding = 0;  // zeros on every side of a sample, which windows may overlap
  bool mirrors = false;      // exchanges left and right in half of the samples
  bool operator==(const Augmentation&) const = default;
};

// Returns the value that files and the command line have for cropping: the padding, or nothing if
// samples are not cropped.
inline std::optional<std::int64_t> crop_of(const Augmentation& augmentation) {
  return augmentation.crops ? std::optional(augmentation.padding) : std::nullopt;
}

// Says where the network's input lies in a stored sample.
struct WindowPlacement {
  std::array<std::int64_t, 3> first{};  // d, h, w of the first element; negative in padding
  bool mirrored = false;                // the window's last column comes first
  bool operator==(const WindowPlacement&) const = default;
};

// Returns the placement of a window in the middle of a stored sample, without mirroring. If both
// have equal extents, it is the whole sample.
WindowPlacement centred(const Shape& stored, const Shape& window);

// Draws the placement of one sample in one pass (epoch). It depends only on the arguments, where
// `sample` is the index in the file, so all plans and ranks agree. `window` is the shape of the
// network's input.
// @pre extents of `stored` plus padding are at least the extents of `window`; padding applies to
// dims that have more than one element
WindowPlacement drawn(const Augmentation& augmentation,
                      const Shape& stored,
                      const Shape& window,
                      std::uint64_t seed,
                      std::int64_t pass,
                      std::int64_t sample);

// Returns the padding on each side of a sample in a spatial dim of this extent. Dims with one
// element are not padded.
constexpr std::int64_t padding_of(const Augmentation& augmentation, std::int64_t extent) {
  return extent > 1 ? augmentation.padding : 0;
}

}  // namespace cnnplan
