// The parameters of one layer of a network file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"
#include "planner/network/spatial_json.hpp"

namespace cnnplan {

// By "kind"; refuses the keys that the kind does not have. Names and inputs are left to the caller.
LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format);

// Adds what differs from the defaults of the layer's kind.
void add_layer_parameters(nlohmann::ordered_json& layer,
                          const LayerParameters& parameters,
                          SpatialFormat format);

}  // namespace cnnplan
