// Builders of kernels, by kind.
#pragma once

#include <memory>
#include <string>

#include "executor/backend/backend.hpp"
#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// Kernels keep a reference to `library`. `implementation`: what Kernel::implementation() gave
// before; empty: chosen by timing, or, of replicated ones, as on all GPUs of this kind.
// @throws BackendError
std::unique_ptr<Kernel> make_convolution(Library& library,
                                         const KernelSpec& spec,
                                         const KernelConstants& constants,
                                         const std::string& implementation);
// All other kinds.
std::unique_ptr<Kernel> make_own_kernel(Library& library,
                                        const KernelSpec& spec,
                                        const KernelConstants& constants);

}  // namespace cnnplan::cudnn
