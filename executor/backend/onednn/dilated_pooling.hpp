// Pools with a dilated window, for which oneDNN has only slow code, and with other windows that it
// computes wrongly.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

bool is_dilated(const Window& window);
// The index of a maximum is the number of its tap in the window.
// @pre the blocks are not empty and every window meets an input
std::unique_ptr<Kernel> make_dilated_pooling(const KernelSpec& spec);

}  // namespace cnnplan::onednn
