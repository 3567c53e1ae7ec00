// Holds the properties of a kind of layer that the planner's rules depend on.
#pragma once

#include <compare>
#include <string_view>

#include "planner/base/number_range.hpp"

namespace cnnplan {

// The struct of each kind has a constant of this type. A property that a kind does not name has the
// value below.
struct LayerTraits {
  std::string_view name;      // the kind's name in network files
  IntegerRange inputs{1, 1};  // how many inputs the layer has
  bool is_loss = false;
  // An output is computed from a window of positions of the input. Kernels need dense blocks then.
  bool has_window = false;
  // The window lies over the outputs. The layer is the adjoint of the layer with this window.
  bool is_transposed = false;
  // An output is computed from inputs at other positions, without a window.
  bool resizes = false;
  // One kernel without parameters makes a block of outputs from a different block of inputs.
  bool rearranges = false;
  // Outputs are channels of the inputs. Ranks copy them, and copy their gradients back.
  bool copies_inputs = false;
  // Outputs are sums over channels of the input times a weight. A split of the channels needs a
  // ChannelAlgorithm.
  bool mixes_channels = false;
  // Backpropagation reads the input again.
  bool reads_input_again = false;
  // Backpropagation may compute the output again instead of keeping it.
  bool may_recompute = false;
  // The mesh of the layer may have an axis l. Only the ranks of one stage then have the layer.
  bool may_be_staged = false;
  // The interior may be computed while the halo travels (planner/network/halo_method.hpp).
  bool has_halo_method = false;
  // Plans have the layer, with estimated work, but no program runs it.
  bool is_only_planned = false;
  // The search chooses a split for the layer. Other layers take the split of an input.
  bool chooses_split = false;
  // The reason why ranks cannot split the channels; empty where they can.
  std::string_view channel_split_refusal{};

  // Keys of prices and of classes compare all properties (planner/network/layer_signature.hpp).
  auto operator<=>(const LayerTraits&) const = default;
};

}  // namespace cnnplan
