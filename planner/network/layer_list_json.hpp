// Reads the list of layers of a network file, where an entry may stand for many repetitions.
#pragma once

#include <string>
#include <vector>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Holds the layers of a file. Their inputs are names of layers: "prev" in the file is replaced by
// the name of the layer listed before. In a repetition, "repeat_input" is replaced by the name of
// the layer before the repetition.
struct LayerList {
  IndexedVector<LayerIndex, Layer> layers;          // each repetition has layers of its own
  IndexedVector<LayerIndex, std::string> pointers;  // JSON pointer to each layer in the file
};

// Reads layers and repeats. The layer "conv" of a repeat {"repeat": count, "name": "res", "layers":
// [...]} becomes res_1_conv, res_2_conv and so on. A layer with one input reads the layer listed
// before if it names no input. So the first layer of a repetition reads the last layer of the
// repetition before. An input's name in a repetition means a layer of the repetition first, then a
// layer outside.
// @throws InputError for a list that cannot be read. A list with more than max_layers is refused
// before anything is repeated.
LayerList read_layers(const JsonReader& list);

}  // namespace cnnplan
