// What has to hold of the name and the inputs of a layer, whatever its kind.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "planner/network/layer_place.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// "inputs" or "input", as in files.
std::string inputs_key(const Layer& layer);
// `earlier`: the layers listed before. Whether the inputs are among them is not looked at.
// @throws InputError
void check_name_and_inputs(const Layer& layer,
                           const std::map<std::string, LayerIndex, std::less<>>& earlier,
                           const LayerPlace& place);

}  // namespace cnnplan
