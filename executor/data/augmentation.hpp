// Chooses the window and the mirroring of each stored sample that training sees in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

struct Augmentation {
  bool crops = false;        // windows are cut out; samples may be larger or smaller than the input
  std::int64_t padding = 0;  // zeros on every side of a sample, which windows may overlap
  bool mirrors = false;      // exchanges left and right in half of the samples
  bool operator==(const Augmentation&) const = default;
};

// Converts to the form of files and of the command line: the padding, if samples are cropped.
inline std::optional<std::int64_t> crop_of(const Augmentation& augmentation) {
  return augmentation.crops ? std::optional(augmentation.padding) : std::nullopt;
}

// Says where the network's input lies in a stored sample.
struct Placement {
  std::array<std::int64_t, 3> first{};  // d, h, w of the first element; negative in padding
  bool mirrored = false;                // the window's last column comes first
  bool operator==(const Placement&) const = default;
};

// Places the window in the middle, which is the whole sample if nothing is cropped.
Placement centred(const Shape& stored, const Shape& window);

// Draws the placement of one sample in one pass. It depends on the sample's index in the file, so
// all plans and ranks agree.
// @pre extents of `stored` plus padding are at least the extents of `window`; padding applies to
// dims that have more than one element
Placement drawn(const Augmentation& augmentation,
                const Shape& stored,
                const Shape& window,
                std::uint64_t seed,
                std::int64_t pass,
                std::int64_t sample);

// Returns the padding of a sample in a dim of this extent.
constexpr std::int64_t padding_of(const Augmentation& augmentation, std::int64_t extent) {
  return extent > 1 ? augmentation.padding : 0;
}

}  // namespace cnnplan
