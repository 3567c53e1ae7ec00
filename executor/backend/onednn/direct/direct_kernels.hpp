// Declares the kernels that make_direct_convolution chooses from, each for the phase in its name.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// These kernels multiply gathered rows (window_rows.hpp) with matrices of weights.
// @pre no empty extent; precision is fp32 or bf16
std::unique_ptr<Kernel> make_row_forward(const KernelSpec& spec);
std::unique_ptr<Kernel> make_row_backward_data(const KernelSpec& spec);
std::unique_ptr<Kernel> make_row_filter_gradient(const KernelSpec& spec);

// Makes a kernel of any phase for a convolution whose groups have one channel and one filter each.
// @pre no empty extent; precision is fp32 or bf16
// @throws std::logic_error for other groups
std::unique_ptr<Kernel> make_depthwise(const KernelSpec& spec);

}  // namespace cnnplan::onednn
