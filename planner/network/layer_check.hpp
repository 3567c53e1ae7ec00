// Checks the name and the inputs of a layer by rules that hold for every kind.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "planner/network/network.hpp"
#include "planner/network/rules/layer_place.hpp"

namespace cnnplan {

// Returns the key of the inputs in files: "inputs" or "input".
std::string inputs_key(const Layer& layer);
// Checks the name and the number of inputs. `earlier` has the names of the layers listed before,
// and `place` is the place of the layer in its file.
// @throws InputError for a name that is empty, has a "/", is reserved (network.hpp) or is in
// `earlier`. It is also thrown if a layer that is no loss has the name "loss", or if the kind does
// not have this number of inputs.
void check_name_and_inputs(const Layer& layer,
                           const std::map<std::string, LayerIndex, std::less<>>& earlier,
                           const LayerPlace& place);

}  // namespace cnnplan
