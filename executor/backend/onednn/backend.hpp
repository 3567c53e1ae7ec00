// oneDNN on CPUs: fp32, channels-last. Convolutions and pooling are primitives of the library; what
// is bound by memory or needs sums over ranks in its middle are loops of our own.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::onednn
