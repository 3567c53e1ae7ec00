// Builds a network layer by layer while the nodes of a model are read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "planner/import/import_onnx.hpp"
#include "planner/import/imported_tensors.hpp"
#include "planner/import/onnx/layer_names.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Describes a loss of a layer's output.
struct OutputLoss {
  std::string name;            // wanted for the layer; changed if it is taken or not valid
  LayerIndex output;           // the layer whose output the loss reads
  LayerParameters parameters;  // of the loss
};

// Holds the layers, shapes and parameters that were read so far.
class NetworkBuilder {
 public:
  // `uses` says how often each value is an input of a node or an output (LiveNodes::uses).
  NetworkBuilder(std::string file, std::map<std::string, int> uses)
      : file_(std::move(file)), uses_(std::move(uses)) {}

  // Adds the input layer for an input with these dims. @throws InputError
  Activation add_input(const std::string& name, const std::vector<std::int64_t>& dims);
  // Appends a layer, whose output has as many dims as its first input.
  // @throws InputError when the shapes do not fit, UnmappedNode when the network has max_layers
  Activation add_layer(const NodeReader& node,
                       const LayerParameters& parameters,
                       const std::vector<Activation>& inputs);
  // Adds a parameter of a layer.
  // @throws UnmappedNode for another number of values, or when another layer has this weight;
  // InputError when the product of the extents or dims overflows
  void add_tensor(LayerIndex layer,
                  const std::string& name,
                  const std::vector<std::int64_t>& extents,
                  const Constant& values);
  // Gives a convolution, transposed convolution or fully connected layer its bias, (F).
  // @throws UnmappedNode for other dims
  void add_bias(LayerIndex layer, const Constant& values);
  // Multiplies all outputs of a layer that mixes_channels(), or of a batch norm, by one factor or
  // by one per channel. Only parameters change, and a note says so.
  // @throws UnmappedNode for a factor that is 0 or not finite, for several factors of a transposed
  // convolution, and for too many constants
  void scale_output(LayerIndex layer, const std::vector<double>& factors);
  // Adds factor * values to all outputs of a layer that scale_output can change. The values are
  // added to its bias or shift, or become its bias.
  // @pre `values` has one number or one per channel
  // @throws UnmappedNode for too many constants, for a sum with a number that is not finite, and
  // for values that cannot be read (reals_of)
  void shift_output(LayerIndex layer, const Constant& values, double factor);

  // Returns the number of samples of the model's input, with which dims of activations begin.
  std::int64_t batch() const { return batch_; }
  const Layer& layer(LayerIndex index) const { return layers_.at(index); }
  // Returns the shape of the layer's output for one sample.
  const Shape& shape(LayerIndex index) const { return shapes_.at(index); }
  // Both functions tell whether a value of the model is an input of a node or an output at all, or
  // exactly once.
  bool is_used(const std::string& value) const { return uses_.contains(value); }
  bool is_used_once(const std::string& value) const;
  // Checks that the model has not reshaped the layer's output (is_plain). @throws UnmappedNode
  void require_plain(const Activation& x) const;

  // Makes a network of the layers that lead to the inputs of `losses`, and of these losses. The
  // last loss is the main one and is called "loss". Other layers and their tensors are dropped.
  // @throws InputError
  Network network(const std::string& name, const std::vector<OutputLoss>& losses);
  std::vector<ImportedTensor> tensors() && { return std::move(tensors_).take(); }
  // The notes are for the user.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  LayerIndex append(const std::string& name,
                    const LayerParameters& parameters,
                    const std::vector<LayerIndex>& inputs);
  // Says for each layer whether one of the losses depends on it.
  IndexedVector<LayerIndex, bool> layers_under(const std::vector<OutputLoss>& losses) const;
  // Sets a bias without checking `values`.
  void set_bias(LayerIndex layer, const Constant& values);

  std::string file_;
  std::map<std::string, int> uses_;
  LayerNames names_;
  std::int64_t batch_ = 1;
  IndexedVector<LayerIndex, Layer> layers_;
  IndexedVector<LayerIndex, Shape> shapes_;
  IndexedVector<LayerIndex, std::vector<LayerIndex>> inputs_;
  ImportedTensors tensors_;
  std::set<LayerIndex> scaled_;  // constants scaled their parameters, and a note says so
  std::vector<std::string> notes_;
};

// Returns true if `dims`, the dims that a model gives an activation, are the shape of the layer
// that makes it: not flattened, and with channels neither in groups nor last. Dims may leave out d,
// then h, then w, if their extents are 1.
bool is_plain(const std::vector<std::int64_t>& dims, const Shape& shape);

// Returns the dims (C, D, H, W) of a shape as a model has them: `rank` dims including the batch. A
// `rank` below 5 leaves out d, then h, then w.
// @pre 2 <= rank <= 5
std::vector<std::int64_t> model_dims(const Shape& shape, std::int64_t batch, std::size_t rank);

}  // namespace cnnplan
