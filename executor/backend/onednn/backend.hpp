// Makes the backend for CPUs by oneDNN, channels-last. Convolutions and pooling are primitives of
// the library. Kernels that memory bounds, or that need sums over ranks in their middle, are loops
// of our own.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::onednn
