// Reads and writes the parameters of one layer of a network file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"
#include "planner/network/spatial_json.hpp"

namespace cnnplan {

// Reads the parameters of the kind that the key "kind" names. The caller reads names and inputs.
// @throws InputError for an unknown kind, missing keys and keys that the kind does not have, and
// values of another type or out of range
LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format);

// True if a window, a size, a factor or an output padding of the layer has a value in the dim d
// that differs from that of two-dimensional layers. The lists of its network file then need three
// entries.
bool has_depth(const LayerParameters& parameters);

// Adds the keys of a layer's parameters to the layer's object. Values that equal their default are
// left out, unless they are required or the kind always writes them.
void add_layer_parameters(nlohmann::ordered_json& json,
                          const LayerParameters& parameters,
                          SpatialFormat format);

}  // namespace cnnplan
