// Declares the builders of kernels.
#pragma once

#include <string>

#include "executor/backend/cudnn/library.hpp"
#include "executor/backend/kernel_factories.hpp"

namespace cnnplan::cudnn {

// A kernel keeps a reference to the library. `implementation` is the name that
// Kernel::implementation() gave before. Where it is empty, a convolution is chosen by timing, or,
// if it is replicated, as on all GPUs of this kind. Other kinds ignore it.
// @throws BackendError
using Factory = KernelFactory<Library&, const std::string&>;

Factory make_convolution;
// Makes a kernel of any kind.
Factory make_kernel;

}  // namespace cnnplan::cudnn
