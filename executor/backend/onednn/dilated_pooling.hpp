// Pools with a dilated window, for which oneDNN has only slow code, and with windows that it
// computes wrongly or whose sums it adds up in a float.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// Returns true if the dilation of some dim is not 1.
bool is_dilated(const Window& window);
// Returns true if a sum of the pooling has so many terms that it must not be added in a float: more
// than most_float_terms for average pooling, and more than twice as many for max pooling. A max
// pooling sums in its backward phase only, but the answer is the same for both phases.
// @pre the window is not dilated
bool sums_many_terms(const KernelSpec& spec);
// Writes not-a-number to each output of a max pooling whose window has one, or has minus infinity,
// as oneDNN does not. It reads `x` once if all of it is finite.
// @pre as make_dilated_pooling(); x and y are dense
void spread_not_a_number(const KernelSpec& spec, const TensorView& x, const TensorView& y);
// Makes a pooling of loops of our own, for both phases and also for windows that are not dilated.
// The index of a maximum is the number of its tap in the window. The kernel throws std::logic_error
// for blocks that are not dense.
// @pre the blocks are not empty and every window meets an input
std::unique_ptr<Kernel> make_dilated_pooling(const KernelSpec& spec);

}  // namespace cnnplan::onednn
