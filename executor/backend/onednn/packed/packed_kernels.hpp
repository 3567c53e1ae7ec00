// Declares the kernels that make_packed_kernel chooses from, each for the phase in its name.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// @pre has_packed_kernel(spec), and no extent is empty; no bias for the filter gradient, which
// throws std::logic_error
std::unique_ptr<Kernel> make_packed_convolution(const KernelSpec& spec);
std::unique_ptr<Kernel> make_packed_backward_data(const KernelSpec& spec);
std::unique_ptr<Kernel> make_packed_filter_gradient(const KernelSpec& spec);

}  // namespace cnnplan::onednn
