// Defines the words with which each kind of layer describes its keys in network files.
//
// A kind has a static function `describe(fields)`, which names each key once:
//
//     fields.required("filters", &Convolution::filters, extent_range);
//     fields.optional("bias", &Convolution::bias);
//
// planner/network/layer_fields_json.hpp has three types of `fields`: one lists the keys, one reads
// a layer, and one writes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "planner/base/number_range.hpp"

namespace cnnplan {

// Holds values in the order d, h, w.
using Triple = std::array<std::int64_t, 3>;

// Says which stride a window has if its layer names none: 1, or the extent of the kernel.
enum class DefaultStride { one, kernel };

// Says whether a file names an optional value that equals the default.
enum class Written { unless_default, always };

// Describes a list with a value for each spatial dim of the network: [H, W] or [D, H, W].
struct SpatialField {
  IntegerRange range;
  std::int64_t without_depth = 0;  // the value of d where lists have two entries
  // Returns the values of a missing key. `entries` is 2 or 3, the length of the network's lists.
  Triple (*defaults)(std::size_t entries) = nullptr;
};

}  // namespace cnnplan
