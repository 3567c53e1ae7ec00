// Fully connected layers of few samples, and other matrix products with few rows.
#include <algorithm>
#include <stdexcept>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"
#include "executor/backend/onednn/thin_product_loops.hpp"

namespace cnnplan::onednn {
namespace {

void fill_bias(const ProductSizes& sizes, const float* bias, float* y) {
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    float* begin = y + row * sizes.filters;
    if (bias) {
      std::copy_n(bias, sizes.filters, begin);
    } else {
      std::fill_n(begin, sizes.filters, 0.0F);
    }
  }
}

void run(const KernelSpec& spec, const ProductSizes& sizes, Operands operands) {
  const auto* first = operands[0].as<const float>();
  const auto* second = operands[1].as<const float>();
  if (spec.phase == KernelPhase::forward) {
    auto* y = operands.back().as<float>();
    fill_bias(sizes, spec.bias ? operands[2].as<const float>() : nullptr, y);
    add_product(sizes, first, second, y);
    if (spec.relu) clip_negative(y, sizes.rows * sizes.filters);
  } else if (spec.phase == KernelPhase::backward_data) {
    product_with_transposed(sizes, first, second, operands[2].as<float>());
  } else {
    transposed_product(sizes, first, second, operands[2].as<float>());
    if (spec.bias) sum_rows(sizes, second, operands[3].as<float>());
  }
}

}  // namespace

std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec) {
  const ProductSizes sizes{
      .rows = spec.in[Dim::w], .depth = spec.in[Dim::c], .filters = spec.out[Dim::c]};
  if (sizes.rows > thin_rows) throw std::logic_error("too many rows for a thin product");
  const bool has_bias = spec.bias && spec.phase != KernelPhase::backward_data;
  return std::make_unique<FunctionKernel>(
      "thin product", has_bias ? 4 : 3, [=](Operands operands, const StepState&) {
        run(spec, sizes, operands);
      });
}

}  // namespace cnnplan::onednn
