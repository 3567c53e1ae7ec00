// What the values of a model's graph are to the network that is made of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "planner/import/onnx_graph.hpp"
#include "planner/model/network.hpp"

namespace cnnplan {

// Zeros around an image that a layer has yet to take in.
struct Margin {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Margin&) const = default;
};

// Output of a layer, as the model sees it: (N, C, H, W) with as many spatial dims as it has, or
// flattened to (N, C H W).
struct Activation {
  LayerIndex layer = 0;
  std::vector<std::int64_t> dims;
  std::array<Margin, 3> margins{};  // of d, h, w; part of dims
  bool is_layer_output = false;     // just as the layer made it

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

// "(1, 64, 56, 56)"
std::string dims_text(const std::vector<std::int64_t>& dims);

}  // namespace cnnplan
