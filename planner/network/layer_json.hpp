// Reads and writes the parameters of one layer of a network file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"
#include "planner/network/spatial_json.hpp"

namespace cnnplan {

// Reads the parameters of the kind that the key "kind" names. The caller reads names and inputs.
// @throws InputError for an unknown kind, keys that the kind does not have, and values out of range
LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format);

// True where the layer does something in the dim d, so that the lists of its network file need
// three entries.
bool has_depth(const LayerParameters& parameters);

// Adds the required values, and optional values that differ from the defaults of the layer's kind
// or that the kind always writes.
void add_layer_parameters(nlohmann::ordered_json& json,
                          const LayerParameters& parameters,
                          SpatialFormat format);

}  // namespace cnnplan
