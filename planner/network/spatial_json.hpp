// Reads and writes the spatial lists of network files: [H, W] or [D, H, W], or one number for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/rules/layer_fields.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// The lists of one network have as many entries as the size of its input: 2 or 3.
struct SpatialFormat {
  std::size_t entries = 2;
};

// Reads (d, h, w) from a list or a number. Without depth in the format, d is `neutral`.
// @throws InputError for a list of another length, and for values outside of `range`
Triple read_spatial(const JsonReader& reader,
                    SpatialFormat format,
                    const IntegerRange& range,
                    std::int64_t neutral);
// These keys of a layer give its window. Only "kernel" is required.
inline constexpr std::array<std::string_view, 5> window_keys{
    "kernel", "stride", "padding", "padding_end", "dilation"};
// Reads these keys of a layer. A missing "padding_end" equals "padding", and `stride` says what a
// missing "stride" equals.
// @throws InputError as read_spatial, and for a missing kernel
Window read_window(const JsonReader& layer, SpatialFormat format, DefaultStride stride);

// Returns the list of two or three entries as the format says, or a number if all are equal.
nlohmann::ordered_json spatial_to_json(const Triple& values, SpatialFormat format);
// Adds "kernel", and the other keys of the window whose values are not the defaults.
void add_window(nlohmann::ordered_json& layer,
                const Window& window,
                SpatialFormat format,
                DefaultStride stride);

}  // namespace cnnplan
