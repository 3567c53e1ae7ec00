// A network: layers in topological order with their parameters and shapes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/tensor/shape.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

using LayerIndex = int;

// Of a network in a file: more are refused before anything is made of them.
inline constexpr int max_layers = 65536;

// Source of samples: (N, channels, size[0], size[1], size[2]) with size = D, H, W.
struct Input {
  std::int64_t channels = 1;
  std::array<std::int64_t, 3> size{1, 1, 1};
  auto operator<=>(const Input&) const = default;
};

// Weight (F, C/groups, KD, KH, KW), bias (F).
struct Convolution {
  std::int64_t filters = 1;
  Window window;
  std::int64_t groups = 1;
  bool bias = false;
  auto operator<=>(const Convolution&) const = default;
};

// The adjoint of a convolution with this window, from its output to its input: in every dim, L
// inputs become transposed_length(L) outputs. Weight (C, F/groups, KD, KH, KW), bias (F).
struct TransposedConvolution {
  std::int64_t filters = 1;
  Window window;
  std::array<std::int64_t, 3> output_padding{};  // d, h, w; less than the stride
  std::int64_t groups = 1;
  bool bias = false;
  auto operator<=>(const TransposedConvolution&) const = default;
};

// A convolution whose kernel is the whole image: weight (outputs, C, D, H, W), bias (outputs).
struct FullyConnected {
  std::int64_t outputs = 1;
  bool bias = true;
  auto operator<=>(const FullyConnected&) const = default;
};

// Which ranks share the statistics of a batch norm: none, those that share a sample, all.
enum class BatchNormStatistics { local, spatial, global };

// y = scale (x - mean) / sqrt(variance + epsilon) + shift; running = (1 - momentum) running +
// momentum batch.
struct BatchNorm {
  double epsilon = 1e-5;
  double momentum = 0.1;
  auto operator<=>(const BatchNorm&) const = default;
};

// y = min(max(x, 0), max).
struct Relu {
  double max = std::numeric_limits<double>::infinity();
  auto operator<=>(const Relu&) const = default;
};

enum class PoolingMode { max, average };

struct Pooling {
  PoolingMode mode = PoolingMode::max;
  Window window;
  bool count_include_padding = false;  // average only
  auto operator<=>(const Pooling&) const = default;
};

// A pooling whose window is the whole image.
struct GlobalPooling {
  PoolingMode mode = PoolingMode::average;
  auto operator<=>(const GlobalPooling&) const = default;
};

// By integer factors; UpsampleMode says how.
struct Upsample {
  std::array<std::int64_t, 3> factor{1, 2, 2};  // d, h, w
  UpsampleMode mode = UpsampleMode::nearest;
  bool align_corners = false;  // linear only
  std::array<UpsampleDim, 3> dims() const {
    return {UpsampleDim{factor[0], mode, align_corners},
            UpsampleDim{factor[1], mode, align_corners},
            UpsampleDim{factor[2], mode, align_corners}};
  }
  auto operator<=>(const Upsample&) const = default;
};

// Of two tensors of one shape: first + scale * second.
struct Add {
  double scale = 1.0;  // finite, not 0
  auto operator<=>(const Add&) const = default;
};

constexpr bool is_scaled(const Add& add) {
  return add.scale != 1.0;
}

// Tensors of the same n, d, h and w, one behind the other along the channels; two at least, and one
// may stand there several times.
struct Concat {
  auto operator<=>(const Concat&) const = default;
};

// Channels [first_channel, first_channel + channels) of its input.
struct Slice {
  std::int64_t first_channel = 0;
  std::int64_t channels = 1;
  auto operator<=>(const Slice&) const = default;
};

// Channels in `groups` groups as rows of a matrix, which is transposed: of C channels, output
// j * groups + i is input i * (C / groups) + j.
struct ChannelShuffle {
  std::int64_t groups = 1;
  auto operator<=>(const ChannelShuffle&) const = default;
};

// y = x (k + alpha / size * sum of the squares of the `size` channels around it)^-beta, of which
// there are (size - 1) / 2 before it, rounded down, and fewer at the ends. Krizhevsky et al. 2012
// have no division by the size.
struct LocalResponseNorm {
  std::int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1.0;
  auto operator<=>(const LocalResponseNorm&) const = default;
};

// y = x / (1 - rate) where kept. What is dropped depends on seed, step and global index only.
struct Dropout {
  double rate = 0.5;
  auto operator<=>(const Dropout&) const = default;
};

inline constexpr double max_loss_weight = 1e6;

// Mean over samples and positions of -log softmax over channels at the label of that position:
// per image where the logits are (N, C, 1, 1, 1), else per pixel.
struct SoftmaxCrossEntropy {
  double weight = 1.0;  // of an auxiliary loss, see Network
  auto operator<=>(const SoftmaxCrossEntropy&) const = default;
};

// Mean over all elements of (x - target)^2; targets have the shape of x.
struct MeanSquaredError {
  double weight = 1.0;  // likewise
  auto operator<=>(const MeanSquaredError&) const = default;
};

using LayerParameters = std::variant<Input,
                                     Convolution,
                                     TransposedConvolution,
                                     FullyConnected,
                                     BatchNorm,
                                     Relu,
                                     Pooling,
                                     GlobalPooling,
                                     Upsample,
                                     Add,
                                     Concat,
                                     Slice,
                                     ChannelShuffle,
                                     LocalResponseNorm,
                                     Dropout,
                                     SoftmaxCrossEntropy,
                                     MeanSquaredError>;

// Names that stand for something else in files ("prev", "repeat_input") or in ids of operations.
inline constexpr std::array<std::string_view, 4> reserved_names{
    "prev", "reduce", "repeat_input", "sgd"};

struct Layer {
  std::string name;                 // not one of reserved_names; "loss" for a loss only
  std::vector<std::string> inputs;  // names of earlier layers
  LayerParameters parameters;
  bool operator==(const Layer&) const = default;
};

// "convolution", as in JSON.
std::string_view kind_name(const LayerParameters& parameters);

// A validated network. Layer indices follow the listed (topological) order. The last layer is the
// main loss, of weight 1. Others are auxiliary, of its kind and with outputs of its shape to
// compare with the same labels or targets: training minimises the sum of all losses times their
// weights; evaluation and inference leave out what only auxiliary losses need.
class Network {
 public:
  Network() = default;
  // @throws InputError (pointer "/layers/<i>/...", `file` as given) for duplicate or unknown names,
  // wrong numbers of inputs, impossible shapes, sizes whose products overflow, an output that
  // nobody consumes and that is no loss, no loss at the end, or auxiliary losses that do not fit
  // it.
  Network(std::string name, std::vector<Layer> layers, const std::string& file = "network");

  const std::string& name() const { return name_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const Layer& layer(LayerIndex index) const { return layers_.at(static_cast<std::size_t>(index)); }
  int layer_count() const { return static_cast<int>(layers_.size()); }
  const std::vector<LayerIndex>& inputs_of(LayerIndex index) const;
  const std::vector<LayerIndex>& consumers_of(LayerIndex index) const;
  // -1 when there is none.
  LayerIndex index_of(std::string_view name) const;
  // The main one.
  LayerIndex loss_layer() const { return layer_count() - 1; }
  // By layer, true where the main loss is made of it.
  std::vector<bool> layers_of_main_loss() const;
  // Output of a layer for `batch` samples. @throws InputError on overflow.
  Shape output_shape(LayerIndex index, std::int64_t batch) const;
  // Channel of the output at which input `input` begins: of a concat, behind the inputs before it,
  // of a slice, below 0 where the slice begins later than its input; 0 for other kinds.
  // @pre the layer has that input
  std::int64_t first_channel(LayerIndex index, std::size_t input) const;
  // The window of convolution, transposed convolution, pooling and of what counts as one (fully
  // connected, global pooling).
  // @pre the layer is one of these
  Window window_of(LayerIndex index) const;
  // Trainable elements of the layer, and of all layers.
  std::int64_t parameter_count(LayerIndex index) const;
  std::int64_t parameter_count() const;
  bool operator==(const Network&) const = default;

 private:
  using IndexByName = std::map<std::string, LayerIndex, std::less<>>;

  void connect(LayerIndex index, const IndexByName& earlier, const std::string& file);
  void infer_shape(LayerIndex index, const std::string& file);
  void check_ends(const std::string& file) const;
  void check_losses(const std::string& file) const;
  const LayerParameters& layer_parameters(LayerIndex index) const;

  std::string name_;
  std::vector<Layer> layers_;
  std::vector<std::vector<LayerIndex>> inputs_;
  std::vector<std::vector<LayerIndex>> consumers_;
  std::vector<Shape> sample_shapes_;
  std::vector<LayerIndex> by_name_;  // by ascending name
};

bool is_loss(const LayerParameters& parameters);
// @pre is_loss(parameters)
double loss_weight(const LayerParameters& loss);
// True where the loss compares with a target for each element, not with labels.
bool has_targets(const Network& network);
bool has_window(const LayerParameters& parameters);
// Where outputs lie in the place of the inputs of its window.
bool is_transposed(const LayerParameters& parameters);
// True where outputs are made of inputs at other positions: what has a window, and upsampling.
bool moves_positions(const LayerParameters& parameters);
// True where one kernel without parameters makes a block of outputs of a block of inputs that is
// not the same: upsampling and channel shuffle.
bool rearranges(const LayerParameters& parameters);
// Concat and slice: outputs are channels of the inputs. What the ranks own of these is copied, too,
// and their gradients back.
bool copies_inputs(const LayerParameters& parameters);
// Add and concat: files list their inputs, others name one at most.
bool has_several_inputs(const LayerParameters& parameters);

// The same network for inputs of another size (D, H, W); a D of 0 keeps the network's.
// @throws InputError when it does not fit
Network with_input_size(const Network& network, const std::array<std::int64_t, 3>& size);

// "512x512" as (0, H, W), "64x512x512" as (D, H, W). @throws InputError
std::array<std::int64_t, 3> parse_size(const std::string& text);

// JSON (schema cnnplan.network/1). @throws InputError, IoError
Network parse_network(std::string_view json, const std::string& file);
Network read_network(const std::string& file);
std::string to_json(const Network& network);

}  // namespace cnnplan
