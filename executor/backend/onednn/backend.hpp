// Makes the backend for CPUs by oneDNN, channels-last. Convolutions and poolings are primitives of
// the library unless these are wrong or our own loops are faster. All other kernels are loops of
// our own.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// Returns the backend. It supports fp32, and bf16 if the processor has instructions that multiply
// bf16. Its kernels ignore the name of an implementation.
std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::onednn
