// Declares the kernels that make_packed_kernel chooses from, each for the phase in its name.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// Each function makes the kernel of the phase in its name. @pre has_packed_kernel(spec), no empty
// extent
std::unique_ptr<Kernel> make_packed_convolution(const KernelSpec& spec);
std::unique_ptr<Kernel> make_packed_backward_data(const KernelSpec& spec);
std::unique_ptr<Kernel> make_packed_filter_gradient(const KernelSpec& spec);

}  // namespace cnnplan::onednn
