// Reads the list of layers of a network file, where an entry may stand for many repetitions.
#pragma once

#include <string>
#include <vector>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// "prev" and "repeat_input" stand for other layers where inputs are named.
struct LayerList {
  IndexedVector<LayerIndex, Layer> layers;          // each repetition has layers of its own
  IndexedVector<LayerIndex, std::string> pointers;  // the place of each layer in the file
};

// Reads layers and repeats. The layer "conv" of a repeat {"repeat": count, "name": "res", "layers":
// [...]} becomes res_1_conv, res_2_conv and so on. A repetition begins with the output of the
// repetition before it.
// @throws InputError. A list with more than max_layers is refused before anything is repeated.
LayerList read_layers(const JsonReader& list);

}  // namespace cnnplan
