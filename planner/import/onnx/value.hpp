// Represents the values of a model's graph while a network is made of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Counts zeros that Pad nodes put before and after an image in one dim. They become padding of the
// next layer.
struct Margin {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Margin&) const = default;
};

// Describes channels that a model sees as two dims: (groups, C / groups), or exchanged (C / groups,
// groups).
struct ChannelGroups {
  std::int64_t count = 1;      // groups
  bool are_exchanged = false;  // as after the transpose in a channel shuffle
};

// Describes the output of a layer as the model sees it: (N, C, H, W), with one to three spatial
// dims, (N, H, W, C) with channels last, flattened to (N, C H W), or with channels in groups.
struct Activation {
  LayerIndex layer;
  std::vector<std::int64_t> dims;
  std::array<Margin, 3> margins{};      // for d, h, w; included in dims
  std::optional<ChannelGroups> groups;  // two dims that replace dim 1
  bool is_layer_output = false;         // no later node has changed or reshaped it
  bool is_channels_last = false;        // dims are (N, ..., C)

  std::size_t channel_axis() const { return is_channels_last ? dims.size() - 1 : 1; }
  bool has_margin() const { return margins != std::array<Margin, 3>{}; }
};

// Describes a tensor that is known when the model is imported.
struct Constant {
  TensorPointer tensor;        // with the values as the file has them
  bool is_transposed = false;  // a matrix whose rows and columns are to be exchanged
};

// Stands for the output of an unmapped node, or of a node after it.
struct Unknown {
  bool is_activation = false;  // true if it is certainly no constant
};

using Value = std::variant<Unknown, Activation, Constant>;

// Returns the dims as the model sees them: exchanged if the constant is transposed.
std::vector<std::int64_t> dims_of(const Constant& constant);

// Returns "(1, 64, 56, 56)", with at most 16 dims.
std::string dims_text(const std::vector<std::int64_t>& dims);

}  // namespace cnnplan
