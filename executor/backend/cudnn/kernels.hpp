// Declares the functions that make the kernels of the cuDNN backend.
#pragma once

#include <string>

#include "executor/backend/cudnn/library.hpp"
#include "executor/backend/kernel_factories.hpp"

namespace cnnplan::cudnn {

// A kernel keeps a reference to the library. `implementation` is the name that
// Kernel::implementation() gave before. Where it is empty, choose_program() (engine_trial.hpp)
// times the ways to compute a convolution. For a convolution that other ranks repeat
// (KernelConstants::replicated), reproducible_program() chooses instead, with or without a name. It
// uses no times, so GPUs of one kind choose alike. Other kinds of kernels ignore the name.
// @throws BackendError; DeviceLostError and InfeasibleError as choose_program
using Factory = KernelFactory<Library&, const std::string&>;

// Makes a convolution by cuDNN, in any phase.
Factory make_convolution;
// Makes a kernel of any kind, by make_convolution() or from our own code.
Factory make_kernel;

}  // namespace cnnplan::cudnn
