// The kernels of the reference backend, one builder per kind.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::reference {

// Also accumulate.
std::unique_ptr<Kernel> make_add(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_batch_norm(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_bias(const KernelSpec& spec);
std::unique_ptr<Kernel> make_channel_shuffle(const KernelSpec& spec);
std::unique_ptr<Kernel> make_local_response_norm(const KernelSpec& spec,
                                                 const KernelConstants& constants);
std::unique_ptr<Kernel> make_convolution(const KernelSpec& spec);
std::unique_ptr<Kernel> make_dropout(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_pooling(const KernelSpec& spec);
std::unique_ptr<Kernel> make_relu(const KernelSpec& spec, const KernelConstants& constants);
std::unique_ptr<Kernel> make_sgd(const KernelSpec& spec);
std::unique_ptr<Kernel> make_softmax_cross_entropy(const KernelSpec& spec,
                                                   const KernelConstants& constants);
std::unique_ptr<Kernel> make_mean_squared_error(const KernelSpec& spec,
                                                const KernelConstants& constants);
std::unique_ptr<Kernel> make_upsample(const KernelSpec& spec);
std::unique_ptr<Kernel> make_interpolate(const KernelSpec& spec, const KernelConstants& constants);

}  // namespace cnnplan::reference
