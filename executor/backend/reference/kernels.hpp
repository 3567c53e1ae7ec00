// Lists the kernels of the reference backend, with one builder for each kind.
#pragma once

#include "executor/backend/kernel_factories.hpp"

namespace cnnplan::reference {

// Each function makes a kernel of the kind in its name, in any phase that the kind has.
using Factory = KernelFactory<>;

Factory make_add;  // also makes accumulate
Factory make_batch_norm;
Factory make_bias;
Factory make_channel_shuffle;
Factory make_convolution;
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
inline constexpr KernelFactoryRow<> own_factories[] = {
    {KernelKind::convolution, make_convolution},
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
inline constexpr KernelFactories<> factories(own_factories, make_element_wise);

}  // namespace cnnplan::reference
