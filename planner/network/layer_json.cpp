// Reads and writes the parameters of layers, as their kinds describe them.
#include "planner/network/layer_json.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "planner/network/enumerators.hpp"
#include "planner/network/layer_fields_json.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

std::vector<std::string_view> keys_of_all_layers(const LayerTraits& kind) {
  std::vector<std::string_view> keys{"name", "kind"};
  if (kind.inputs.maximum > 1) {
    keys.emplace_back("inputs");
  } else if (kind.inputs.maximum == 1) {
    keys.emplace_back("input");
  }
  return keys;
}

template <typename Layer>
std::vector<std::string_view> keys_of() {
  FieldKeys keys(keys_of_all_layers(Layer::traits));
  Layer::describe(keys);
  return keys.list();
}

template <typename Layer>
LayerParameters read_kind(const JsonReader& reader, SpatialFormat format) {
  static const std::vector<std::string_view> keys = keys_of<Layer>();
  reader.allow_keys(keys);
  Layer layer;
  FieldReader fields(reader, format, layer);
  Layer::describe(fields);
  return layer;
}

struct KindReader {
  std::string_view name;
  LayerParameters (*read)(const JsonReader&, SpatialFormat);
};

// Returns the readers of all kinds, in the order of LayerParameters.
template <std::size_t... kinds>
constexpr auto readers_of(std::index_sequence<kinds...>) {
  return std::array{KindReader{std::variant_alternative_t<kinds, LayerParameters>::traits.name,
                               read_kind<std::variant_alternative_t<kinds, LayerParameters>>}...};
}

constexpr auto kind_readers =
    readers_of(std::make_index_sequence<std::variant_size_v<LayerParameters>>{});

}  // namespace

LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format) {
  const JsonReader kind = layer.at("kind");
  std::vector<std::string> names;
  for (const KindReader& reader : kind_readers) {
    if (kind.is_text(reader.name)) return reader.read(layer, format);
    names.emplace_back(reader.name);
  }
  refuse_name(kind, names);
}

bool has_depth(const LayerParameters& parameters) {
  const auto in_fields = []<typename Layer>(const Layer& layer) {
    FieldDepth fields(layer);
    Layer::describe(fields);
    return fields.has_depth();
  };
  return std::visit(in_fields, parameters);
}

void add_layer_parameters(nlohmann::ordered_json& json,
                          const LayerParameters& parameters,
                          SpatialFormat format) {
  const auto add = [&]<typename Layer>(const Layer& layer) {
    FieldWriter fields(json, format, layer);
    Layer::describe(fields);
  };
  std::visit(add, parameters);
}

}  // namespace cnnplan
