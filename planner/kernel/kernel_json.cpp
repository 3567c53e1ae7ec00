// Reads and writes kernel keys, field by field.
#include "planner/kernel/kernel_json.hpp"

#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "planner/kernel/kernel_kinds.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

using Json = nlohmann::ordered_json;

// Flat kernels hold all parameters of a network in one extent.
constexpr IntegerRange block_extent_range{1, std::int64_t{1} << 40};

struct WindowField {
  const char* key;
  std::int64_t WindowDim::*member;
  IntegerRange range;
};

constexpr std::array<WindowField, 5> window_fields{{
    {"kernel", &WindowDim::kernel, extent_range},
    {"stride", &WindowDim::stride, extent_range},
    {"padding_begin", &WindowDim::padding_begin, padding_range},
    {"padding_end", &WindowDim::padding_end, padding_range},
    {"dilation", &WindowDim::dilation, extent_range},
}};

Shape read_shape(const JsonReader& reader) {
  Shape shape;
  const std::vector<JsonReader> entries = reader.entries({dim_count, dim_count});
  for (std::size_t i = 0; i < dim_count; ++i) {
    shape.extents[i] = entries[i].integer(block_extent_range);
  }
  reader.locate([&shape] { return volume(shape); });
  return shape;
}

Window read_window(const JsonReader& reader) {
  reader.allow_keys({"kernel", "stride", "padding_begin", "padding_end", "dilation"});
  Window window;
  constexpr std::int64_t count = spatial_dims.size();
  for (const WindowField& field : window_fields) {
    if (!reader.has(field.key)) continue;
    const std::vector<JsonReader> entries = reader.at(field.key).entries({count, count});
    for (std::size_t i = 0; i < window.dims.size(); ++i) {
      window.dims[i].*field.member = entries[i].integer(field.range);
    }
  }
  return window;
}

KernelPhase read_phase(const JsonReader& reader, KernelKind kind) {
  const auto phase = reader.enumerator<KernelPhase>();
  if (has_phase(kind, phase)) return phase;
  std::string names;
  for (const PhaseRow& row : row_of(kind).phases) {
    names += (names.empty() ? "" : ", ") + std::string(to_text(row.phase));
  }
  reader.refuse("a phase of " + std::string(to_text(kind)) + ": " + names);
}

Json to_ordered_json(const Window& window) {
  Json json = Json::object();
  for (const WindowField& field : window_fields) {
    std::array<std::int64_t, 3> values{};
    bool is_default = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = window.dims[i].*field.member;
      is_default = is_default && values[i] == WindowDim{}.*field.member;
    }
    if (!is_default) json[field.key] = values;
  }
  return json;
}

}  // namespace

KernelSpec kernel_from_json(const JsonReader& reader) {
  reader.allow_keys({"kind",
                     "phase",
                     "in",
                     "out",
                     "window",
                     "groups",
                     "local_size",
                     "pooling",
                     "count_include_padding",
                     "bias",
                     "relu",
                     "residual",
                     "second_dy",
                     "precision",
                     "algorithm",
                     "concurrency"});
  KernelSpec spec;
  spec.kind = reader.at("kind").enumerator<KernelKind>();
  spec.phase = read_phase(reader.at("phase"), spec.kind);
  spec.in = read_shape(reader.at("in"));
  spec.out = read_shape(reader.at("out"));
  if (reader.has("window")) spec.window = read_window(reader.at("window"));
  reader.read("groups", spec.groups, extent_range);
  reader.read("local_size", spec.local_size, extent_range);
  reader.read_enumerator("pooling", spec.pooling);
  reader.read("count_include_padding", spec.count_include_padding);
  reader.read("bias", spec.bias);
  reader.read("relu", spec.relu);
  reader.read("residual", spec.residual);
  reader.read("second_dy", spec.second_dy);
  reader.read_enumerator("precision", spec.precision);
  reader.read_enumerator("algorithm", spec.algorithm);
  reader.read("concurrency", spec.concurrency, {1, max_concurrency});
  return spec;
}

Json to_ordered_json(const KernelSpec& spec) {
  const KernelSpec defaults;
  Json json;
  const auto add = [&json](const char* key, const auto& value, const auto& absent) {
    if (value != absent) json[key] = value;
  };
  json["kind"] = to_text(spec.kind);
  json["phase"] = to_text(spec.phase);
  json["in"] = spec.in.extents;
  json["out"] = spec.out.extents;
  if (spec.window != defaults.window) json["window"] = to_ordered_json(spec.window);
  add("groups", spec.groups, defaults.groups);
  add("local_size", spec.local_size, defaults.local_size);
  if (spec.pooling != defaults.pooling) json["pooling"] = to_text(spec.pooling);
  add("count_include_padding", spec.count_include_padding, defaults.count_include_padding);
  add("bias", spec.bias, defaults.bias);
  add("relu", spec.relu, defaults.relu);
  add("residual", spec.residual, defaults.residual);
  add("second_dy", spec.second_dy, defaults.second_dy);
  json["precision"] = to_text(spec.precision);
  json["algorithm"] = to_text(spec.algorithm);
  add("concurrency", spec.concurrency, defaults.concurrency);
  return json;
}

}  // namespace cnnplan
