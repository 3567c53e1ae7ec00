// Computes fully connected layers of few samples, and other matrix products with few rows.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/convolution/thin_product_loops.hpp"
#include "executor/backend/onednn/elements.hpp"

namespace cnnplan::onednn {
namespace {

// `to` has room for the outputs.
template <typename Sum>
void fill_bias(const ProductSizes& sizes, const float* bias, Sum* to) {
  for (std::int64_t row = 0; row < sizes.rows; ++row, to += sizes.filters) {
    if (bias) {
      std::copy_n(bias, sizes.filters, to);
    } else {
      std::fill_n(to, sizes.filters, Sum{0});
    }
  }
}

// Holds X and Y as floats.
template <typename T>
struct Rows {
  explicit Rows(const ProductSizes& sizes)
      : x(sizes.rows * sizes.depth),
        y(sizes.rows * sizes.filters),
        totals(sizes.depth > most_depth ? sizes.rows * sizes.filters : 0) {}
  std::int64_t bytes() const { return x.bytes() + y.bytes() + totals.size() * sizeof(double); }

  FloatRow<T> x, y;
  std::vector<double> totals;  // of y, where floats may not add all products
};

// Computes y = x * weight + bias. `bias` may be null.
template <typename T>
void multiply(const ProductSizes& sizes,
              const float* x,
              const T* weight,
              const float* bias,
              std::vector<double>& totals,
              float* y) {
  if (totals.empty()) {
    fill_bias(sizes, bias, y);
    return add_product(sizes, {0, sizes.depth}, x, weight, y);
  }
  fill_bias(sizes, bias, totals.data());
  for (std::int64_t begin = 0; begin < sizes.depth; begin += most_depth) {
    std::fill_n(y, totals.size(), 0.0F);
    add_product(sizes, {begin, std::min(begin + most_depth, sizes.depth)}, x, weight, y);
    add_part(y, std::ssize(totals), totals.data());
  }
  std::transform(totals.begin(), totals.end(), y, stored<float>);
}

template <typename T>
void forward(const KernelSpec& spec,
             const ProductSizes& sizes,
             const OperandsByRole& operands,
             Rows<T>& rows) {
  const auto* x = operands[Role::x].as<const T>();
  float* const y = rows.y.open(operands[Role::y].as<T>());
  const float* const bias = spec.bias ? operands[Role::bias].as<const float>() : nullptr;
  multiply(sizes, rows.x.read(x), operands[Role::weight].as<const T>(), bias, rows.totals, y);
  if (spec.relu) clip_negative(y, sizes.rows * sizes.filters);
  rows.y.close(operands[Role::y].as<T>());
}

template <typename T>
void run(const KernelSpec& spec,
         const ProductSizes& sizes,
         const OperandsByRole& operands,
         Rows<T>& rows) {
  if (spec.phase == KernelPhase::forward) {
    forward<T>(spec, sizes, operands, rows);
  } else if (spec.phase == KernelPhase::backward_data) {
    const float* const dy = rows.y.read(operands[Role::dy].as<const T>());
    float* const dx = rows.x.open(operands[Role::dx].as<T>());
    product_with_transposed(sizes, dy, operands[Role::weight].as<const T>(), dx);
    rows.x.close(operands[Role::dx].as<T>());
  } else {
    const float* const dy = rows.y.read(operands[Role::dy].as<const T>());
    const float* const x = rows.x.read(operands[Role::x].as<const T>());
    transposed_product(sizes, x, dy, operands[Role::dweight].as<float>());
  }
}

}  // namespace

std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec) {
  const ProductSizes sizes{
      .rows = spec.in[Dim::w], .depth = spec.in[Dim::c], .filters = spec.out[Dim::c]};
  if (sizes.rows > thin_rows) throw std::logic_error("too many rows for a thin product");
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    Rows<T> rows(sizes);
    const std::int64_t bytes = rows.bytes();
    return std::make_unique<FunctionKernel>(
        "thin product",
        spec,
        [spec, sizes, rows = std::move(rows)](const OperandsByRole& operands,
                                              const StepState&) mutable {
          run<T>(spec, sizes, operands, rows);
        },
        bytes);
  });
}

}  // namespace cnnplan::onednn
