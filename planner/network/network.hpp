// Holds a network: its layers in topological order, with their parameters and shapes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/indexed_vector.hpp"
#include "planner/network/layer_parameters.hpp"
#include "planner/network/rules/layer_index.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// A network in a file with more layers is refused before they are created.
inline constexpr int max_layers = 65536;

// These names mean something else in files ("prev", "repeat_input") or in ids of operations.
inline constexpr std::array<std::string_view, 4> reserved_names{
    "prev", "reduce", "repeat_input", "sgd"};

// Holds one layer of a network. Its name identifies it in files and in ids of operations.
struct Layer {
  std::string name;  // without "/", not one of reserved_names; "loss" for the main loss only
  std::vector<std::string> inputs;  // names of earlier layers
  LayerParameters parameters;
  bool operator==(const Layer&) const = default;
};

// Holds a validated network. Layer indices follow the listed (topological) order. The last layer is
// the main loss, and has the weight 1. Auxiliary losses have its kind and its shape, and compare
// with its labels or targets. Training minimises the sum of all losses times their weights.
// Evaluation and inference omit layers that only auxiliary losses need.
class Network {
 public:
  Network() = default;
  // Moves are copies, which share the parts. So no network is ever without them.
  Network(const Network&) = default;
  Network& operator=(const Network&) = default;
  ~Network() = default;
  // @throws InputError (pointer "/layers/<i>/...", `file` as given) for duplicate, reserved or
  // unknown names, wrong numbers of inputs, impossible shapes, sizes whose products overflow, or
  // more than 2^53 parameters. It is also thrown for an output without consumer, no or several
  // layers of the kind input, no loss at the end, or wrong auxiliary losses.
  Network(std::string name, std::vector<Layer> layers, const std::string& file = "network");

  const std::string& name() const { return parts_->name; }
  const IndexedVector<LayerIndex, Layer>& layers() const { return parts_->layers; }
  const Layer& layer(LayerIndex index) const { return parts_->layers.at(index); }
  int layer_count() const { return static_cast<int>(layers().size()); }
  const std::vector<LayerIndex>& inputs_of(LayerIndex index) const {
    return parts_->inputs.at(index);
  }
  // Returns the layers that read the output, each once for each of its inputs that is this output.
  const std::vector<LayerIndex>& consumers_of(LayerIndex index) const {
    return parts_->consumers.at(index);
  }
  // Returns the layer of this name, or nothing if there is none.
  std::optional<LayerIndex> index_of(std::string_view name) const;
  LayerIndex loss_layer() const { return layers().last_index(); }
  // True for each layer that the main loss depends on.
  IndexedVector<LayerIndex, bool> layers_of_main_loss() const;
  // Returns the shape of the output for `batch` samples. @throws InputError on overflow
  Shape output_shape(LayerIndex index, std::int64_t batch) const;
  // Returns the channel of the output at which an input begins. In a concat, an input begins after
  // the inputs before it. A slice that leaves out the first k channels of its input has -k. Other
  // kinds have 0. @pre the layer has that input
  std::int64_t first_channel(LayerIndex index, std::size_t input) const;
  // Returns the window of a layer. For a fully connected layer or a global pooling, it is the whole
  // image.
  // @pre has_window(the layer's parameters)
  Window window_of(LayerIndex index) const;
  // Return the number of trainable elements of the layer, and of all layers.
  std::int64_t parameter_count(LayerIndex index) const;
  std::int64_t parameter_count() const;
  bool operator==(const Network& other) const {
    return parts_ == other.parts_ || *parts_ == *other.parts_;
  }

 private:
  using IndexByName = std::map<std::string, LayerIndex, std::less<>>;

  // Holds everything. Plans and their candidates share it, because it never changes.
  struct Parts {
    std::string name;
    IndexedVector<LayerIndex, Layer> layers;
    IndexedVector<LayerIndex, std::vector<LayerIndex>> inputs;
    IndexedVector<LayerIndex, std::vector<LayerIndex>> consumers;
    IndexedVector<LayerIndex, Shape> sample_shapes;
    std::vector<LayerIndex> by_name;  // by ascending name
    bool operator==(const Parts&) const = default;
  };

  // Both functions add to `parts`, which parts_ shares.
  void connect(LayerIndex index, const IndexByName& earlier, const std::string& file, Parts& parts);
  void infer_shape(LayerIndex index, const std::string& file, Parts& parts);
  void check_ends(const std::string& file) const;
  void check_losses(const std::string& file) const;
  const LayerParameters& layer_parameters(LayerIndex index) const {
    return layer(index).parameters;
  }

  std::shared_ptr<const Parts> parts_ = std::make_shared<const Parts>();
};

// True if the main loss compares with a target for each element, and false if it compares with
// labels.
bool has_targets(const Network& network);

// Returns the network for inputs of another size (D, H, W). A D of 0 keeps the network's D.
// @throws InputError when the size does not fit the layers, or has a depth that the network lacks
Network with_input_size(const Network& network, const std::array<std::int64_t, 3>& size);

// Reads "512x512" as (0, H, W) and "64x512x512" as (D, H, W). @throws InputError at "--input"
std::array<std::int64_t, 3> parse_size(const std::string& text);

// Reads JSON of the schema cnnplan.network/1. `file` names the input in errors.
// @throws InputError
Network parse_network(std::string_view json, const std::string& file);
// Reads a file as parse_network does. @throws InputError, IoError
Network read_network(const std::string& file);
// Returns the text of a network file.
std::string to_json(const Network& network);

}  // namespace cnnplan
