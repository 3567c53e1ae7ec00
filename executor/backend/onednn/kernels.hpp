// Lists the kernels of the oneDNN backend, with one builder for each kind.
#pragma once

#include <memory>

#include "executor/backend/kernel_factories.hpp"
#include "executor/backend/onednn/library.hpp"

namespace cnnplan::onednn {

// Each function makes a kernel of the kind in its name, in any phase that the kind has.
using Factory = KernelFactory<const Library&>;

Factory make_add;  // also makes accumulate
Factory make_batch_norm;
Factory make_bias;
Factory make_channel_shuffle;
Factory make_blocked_convolution;  // sums gradients of filters over blocks of few positions
Factory make_convolution;          // makes any phase, without such blocks; the former calls it
Factory make_dropout;
Factory make_element_wise;
Factory make_interpolate;
Factory make_local_response_norm;
Factory make_mean_squared_error;
Factory make_pooling;
Factory make_sgd;
Factory make_softmax_cross_entropy;
Factory make_upsample;

// Lists all kinds of kernels that are no element-wise functions, in the order of KernelKind.
inline constexpr KernelFactoryRow<const Library&> own_factories[] = {
    {KernelKind::convolution, make_blocked_convolution},
    {KernelKind::bias, make_bias},
    {KernelKind::batch_norm, make_batch_norm},
    {KernelKind::pooling, make_pooling},
    {KernelKind::upsample, make_upsample},
    {KernelKind::interpolate, make_interpolate},
    {KernelKind::channel_shuffle, make_channel_shuffle},
    {KernelKind::local_response_norm, make_local_response_norm},
    {KernelKind::add, make_add},
    {KernelKind::dropout, make_dropout},
    {KernelKind::softmax_cross_entropy, make_softmax_cross_entropy},
    {KernelKind::mean_squared_error, make_mean_squared_error},
    {KernelKind::accumulate, make_add},
    {KernelKind::sgd, make_sgd},
};
// Finds the function that makes a kernel of any kind.
inline constexpr KernelFactories<const Library&> factories(own_factories, make_element_wise);

// Makes a kernel of the kind accumulate whose operands are doubles. It adds sums over blocks of
// samples, which are doubles for all precisions of activations.
std::unique_ptr<Kernel> make_add_doubles(const KernelSpec& spec);

}  // namespace cnnplan::onednn
