// Reads and writes spatial lists, and the windows that consist of them.
#include "planner/network/spatial_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace cnnplan {
namespace {

using Json = nlohmann::ordered_json;

Triple values_of(const Window& window, std::int64_t WindowDim::*member) {
  Triple values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = window.dims[i].*member;
  return values;
}

void set_values(Window& window, std::int64_t WindowDim::*member, const Triple& values) {
  for (std::size_t i = 0; i < values.size(); ++i) window.dims[i].*member = values[i];
}

Triple filled(std::int64_t value) {
  return {value, value, value};
}

}  // namespace

Triple read_spatial(const JsonReader& reader,
                    SpatialFormat format,
                    const IntegerRange& range,
                    std::int64_t neutral) {
  Triple values = filled(neutral);
  const std::size_t first = values.size() - format.entries;
  if (!reader.is_list()) {
    std::fill(values.begin() + first, values.end(), reader.integer(range));
    return values;
  }
  const std::int64_t count = format.entries;
  const std::vector<JsonReader> entries = reader.entries({count, count});
  for (std::size_t i = 0; i < entries.size(); ++i) values[first + i] = entries[i].integer(range);
  return values;
}

Window read_window(const JsonReader& layer, SpatialFormat format, DefaultStride stride) {
  const auto read = [&](std::string_view key, const IntegerRange& range, const Triple& absent) {
    const std::int64_t neutral = range.minimum;
    return layer.has(key) ? read_spatial(layer.at(key), format, range, neutral) : absent;
  };
  const Triple kernel = read_spatial(layer.at("kernel"), format, extent_range, 1);
  const Triple padding = read("padding", padding_range, filled(0));
  Window window;
  set_values(window, &WindowDim::kernel, kernel);
  set_values(window,
             &WindowDim::stride,
             read("stride", extent_range, stride == DefaultStride::kernel ? kernel : filled(1)));
  set_values(window, &WindowDim::padding_begin, padding);
  set_values(window, &WindowDim::padding_end, read("padding_end", padding_range, padding));
  set_values(window, &WindowDim::dilation, read("dilation", extent_range, filled(1)));
  return window;
}

Json spatial_to_json(const Triple& values, SpatialFormat format) {
  const auto first = values.end() - format.entries;
  if (std::count(first, values.end(), *first) == values.end() - first) return *first;
  return std::vector<std::int64_t>(first, values.end());
}

void add_window(Json& layer, const Window& window, SpatialFormat format, DefaultStride stride) {
  const auto add = [&](const char* key, const Triple& values, const Triple& absent) {
    if (values != absent) layer[key] = spatial_to_json(values, format);
  };
  const Triple kernel = values_of(window, &WindowDim::kernel);
  const Triple padding = values_of(window, &WindowDim::padding_begin);
  layer["kernel"] = spatial_to_json(kernel, format);
  add("stride",
      values_of(window, &WindowDim::stride),
      stride == DefaultStride::kernel ? kernel : filled(1));
  add("padding", padding, filled(0));
  add("padding_end", values_of(window, &WindowDim::padding_end), padding);
  add("dilation", values_of(window, &WindowDim::dilation), filled(1));
}

}  // namespace cnnplan
