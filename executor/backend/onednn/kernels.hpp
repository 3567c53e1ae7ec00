// The kernels of the oneDNN backend, one builder per kind.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "executor/backend/onednn/library.hpp"

namespace cnnplan::onednn {

// Also accumulate.
std::unique_ptr<Kernel> make_add(const KernelSpec& spec, const KernelConstants& constants);
// Of doubles, whatever activations are.
std::unique_ptr<Kernel> make_add_doubles(const KernelSpec& spec);
std::unique_ptr<Kernel> make_batch_norm(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_bias(const KernelSpec& spec);
std::unique_ptr<Kernel> make_channel_shuffle(const KernelSpec& spec);
std::unique_ptr<Kernel> make_local_response_norm(const KernelSpec& spec,
                                                 const KernelConstants& constants);
std::unique_ptr<Kernel> make_convolution(const Library& library, const KernelSpec& spec);
std::unique_ptr<Kernel> make_dropout(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_pooling(const Library& library, const KernelSpec& spec);
std::unique_ptr<Kernel> make_relu(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_sgd(const KernelSpec& spec);
std::unique_ptr<Kernel> make_softmax_cross_entropy(const KernelSpec& spec,
                                                   const KernelConstants& constants);
std::unique_ptr<Kernel> make_mean_squared_error(const KernelSpec& spec,
                                                const KernelConstants& constants);
std::unique_ptr<Kernel> make_upsample(const KernelSpec& spec);
std::unique_ptr<Kernel> make_interpolate(const KernelSpec& spec, const KernelConstants& constants);

}  // namespace cnnplan::onednn
