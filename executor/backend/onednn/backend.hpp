// Makes the backend for CPUs by oneDNN, channels-last. Convolutions and pooling are primitives of
// the library where it has a fast and right one. Other kernels are loops of our own, such as those
// that memory bounds, or that need sums over ranks in their middle.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// Returns the backend. It supports fp32, and bf16 if the processor has instructions that multiply
// bf16. Its kernels ignore the name of an implementation.
std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::onednn
