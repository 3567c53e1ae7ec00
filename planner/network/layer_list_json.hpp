// The list of layers of a network file, in which layers may stand once for many repetitions.
#pragma once

#include <string>
#include <vector>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// "prev" and "repeat_input" stand for other layers where inputs are named.
struct LayerList {
  std::vector<Layer> layers;          // each repetition has layers of its own
  std::vector<std::string> pointers;  // by layer: where it stands in the file
};

// `list`: layers, and repeats {"repeat": count, "name": "res", "layers": [...]}, whose layer "conv"
// becomes res_1_conv, res_2_conv and so on. A repetition begins with the output of the one before.
// @throws InputError, before anything is repeated where more than max_layers would come out
LayerList read_layers(const JsonReader& list);

}  // namespace cnnplan
