// Spatial lists of network files: [H, W] or [D, H, W], or one number for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

using Triple = std::array<std::int64_t, 3>;

// Number of entries of the lists of one network: 2 or 3, as many as the size of its input has.
struct SpatialFormat {
  std::size_t entries = 2;
};

// Where the list has no depth, that is `neutral`.
Triple read_spatial(const JsonReader& reader,
                    SpatialFormat format,
                    const IntegerRange& range,
                    std::int64_t neutral);
// Keys kernel, stride, padding, padding_end and dilation of `layer`. The stride of a convolution is
// 1 unless given, that of a pooling its kernel.
enum class DefaultStride { one, kernel };
Window read_window(const JsonReader& layer, SpatialFormat format, DefaultStride stride);

// A list, or a number where all entries are equal.
nlohmann::ordered_json spatial_to_json(const Triple& values, SpatialFormat format);
// Adds the keys that read_window reads and whose values are not the defaults.
void add_window(nlohmann::ordered_json& layer,
                const Window& window,
                SpatialFormat format,
                DefaultStride stride);

}  // namespace cnnplan
