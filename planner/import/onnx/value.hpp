// What the values of a model's graph are to the network that is made of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Zeros around an image that a layer has yet to take in.
struct Margin {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Margin&) const = default;
};

// Channels that a model sees as two dims: (groups, C / groups), or exchanged (C / groups, groups).
struct ChannelGroups {
  std::int64_t count = 1;
  bool are_exchanged = false;
};

// Output of a layer, as the model sees it: (N, C, H, W) with as many spatial dims as it has,
// flattened to (N, C H W), or with its channels in groups.
struct Activation {
  LayerIndex layer = 0;
  std::vector<std::int64_t> dims;
  std::array<Margin, 3> margins{};      // of d, h, w; part of dims
  std::optional<ChannelGroups> groups;  // in place of dim 1, with any dims behind them
  bool is_layer_output = false;         // just as the layer made it

  bool has_margin() const { return margins != std::array<Margin, 3>{}; }
};

struct Constant {
  TensorPointer tensor;
  bool is_transposed = false;  // a matrix that is meant with rows and columns exchanged
};

// What an unmapped node makes, or one behind it.
struct Unknown {
  bool is_activation = false;  // certainly no constant
};

using Value = std::variant<Unknown, Activation, Constant>;

// Of what is meant.
std::vector<std::int64_t> dims_of(const Constant& constant);

// "(1, 64, 56, 56)"; of more than 16, the first
std::string dims_text(const std::vector<std::int64_t>& dims);

}  // namespace cnnplan
