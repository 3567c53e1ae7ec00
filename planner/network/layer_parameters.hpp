// Holds the parameters of a layer of any kind, and answers questions about every kind.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/network/layers/add.hpp"
#include "planner/network/layers/batch_norm.hpp"
#include "planner/network/layers/channel_shuffle.hpp"
#include "planner/network/layers/concat.hpp"
#include "planner/network/layers/convolution.hpp"
#include "planner/network/layers/dropout.hpp"
#include "planner/network/layers/fully_connected.hpp"
#include "planner/network/layers/global_pooling.hpp"
#include "planner/network/layers/input.hpp"
#include "planner/network/layers/leaky_relu.hpp"
#include "planner/network/layers/local_response_norm.hpp"
#include "planner/network/layers/mean_squared_error.hpp"
#include "planner/network/layers/pointwise.hpp"
#include "planner/network/layers/pooling.hpp"
#include "planner/network/layers/relu.hpp"
#include "planner/network/layers/slice.hpp"
#include "planner/network/layers/softmax_cross_entropy.hpp"
#include "planner/network/layers/transposed_convolution.hpp"
#include "planner/network/layers/upsample.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// A new kind becomes an alternative here. Messages list the kinds in this order.
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
                                     LeakyRelu,
                                     Pointwise,
                                     SoftmaxCrossEntropy,
                                     MeanSquaredError>;

// Returns the properties of the layer's kind.
const LayerTraits& traits_of(const LayerParameters& parameters);

// Returns the name of the kind, as in JSON: "convolution".
std::string_view kind_name(const LayerParameters& parameters);
// True for kinds that may have more than one input.
bool has_several_inputs(const LayerParameters& parameters);
// These functions return the field of traits_of(parameters) that has their name. LayerTraits says
// what it means.
bool is_loss(const LayerParameters& parameters);
bool has_window(const LayerParameters& parameters);
bool is_transposed(const LayerParameters& parameters);
bool rearranges(const LayerParameters& parameters);
bool copies_inputs(const LayerParameters& parameters);
bool mixes_channels(const LayerParameters& parameters);

// Returns the number of groups of channels that a convolution does not mix with each other, and 1
// for kinds that have no such groups.
std::int64_t groups_of(const LayerParameters& parameters);
// True if the layer adds a bias. @pre mixes_channels(parameters)
bool has_bias(const LayerParameters& parameters);
// Returns the factor of the loss in the sum that training minimises. @pre is_loss(loss)
double loss_weight(const LayerParameters& loss);

// Returns the window of a layer whose input has this shape. The window of a kind without a window
// of its own, such as a fully connected layer, is the whole image.
Window window_for(const LayerParameters& parameters, const Shape& input);
// Returns the shape of the output for one sample, and checks the layer's parameters. `inputs` are
// the shapes of its inputs for one sample, and `place` names the layer in errors.
// @throws InputError for parameters that are impossible or do not fit the inputs
// @pre the layer has as many inputs as its kind needs
Shape sample_shape(const LayerParameters& parameters,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);
// Returns the number of trainable elements of a layer with this first input and this output.
// @throws InputError on overflow
std::int64_t parameter_count(const LayerParameters& parameters,
                             const Shape& input,
                             const Shape& output);

}  // namespace cnnplan
