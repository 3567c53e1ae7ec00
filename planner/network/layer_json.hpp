// Reads and writes the parameters of one layer of a network file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"
#include "planner/network/spatial_json.hpp"

namespace cnnplan {

// Reads the parameters of the kind that the key "kind" names, and refuses keys that the kind does
// not have. The caller reads names and inputs.
LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format);

// True where the layer does something in the dim d, so that the lists of its network file need three
// entries.
bool has_depth(const LayerParameters& parameters);

// Adds the values that differ from the defaults of the layer's kind.
void add_layer_parameters(nlohmann::ordered_json& json,
                          const LayerParameters& parameters,
                          SpatialFormat format);

}  // namespace cnnplan
