// Multiplies rows of windows by the weight of each group, block by block of output positions.
#include "executor/verify/matrix_convolution.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <Eigen/Core>

#include "executor/backend/function_kernel.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/verify/window_rows.hpp"

namespace cnnplan {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

double* dense(const TensorView& view, const Shape& shape) {
  require_shape(view, shape);
  if (!is_dense(view)) throw std::logic_error("a convolution in double needs dense activations");
  return view.as<double>();
}

class MatrixConvolution {
 public:
  explicit MatrixConvolution(const KernelSpec& spec)
      : spec_(spec),
        filters_(spec.out[Dim::c] / spec.groups),
        windows_(spec),
        values_(windows_.most_selected() * windows_.length()) {}

  void run(const OperandsByRole& operands) {
    if (spec_.phase == KernelPhase::forward) {
      forward(operands);
    } else if (spec_.phase == KernelPhase::backward_data) {
      backward_data(operands);
    } else {
      backward_filter(operands);
    }
  }

 private:
  void forward(const OperandsByRole& operands) {
    const double* x = dense(operands[Role::x], spec_.in);
    double* y = dense(operands[Role::y], spec_.out);
    double* weight = operands[Role::weight].as<double>();
    const double* bias = spec_.bias ? operands[Role::bias].as<const double>() : nullptr;
    for_each_block([&](std::int64_t group) {
      windows_.gather(group, x, values_.data());
      MatrixView sums = outputs(y, group);
      sums.noalias() = rows() * weights(weight, group).transpose();
      const double* shift = bias ? bias + group * filters_ : nullptr;
      for (std::int64_t f = 0; bias && f < filters_; ++f) sums.col(f).array() += shift[f];
      if (spec_.relu) sums = sums.unaryExpr([](double sum) { return std::max(sum, 0.0); });
    });
  }

  void backward_data(const OperandsByRole& operands) {
    double* dy = dense(operands[Role::dy], spec_.out);
    double* dx = dense(operands[Role::dx], spec_.in);
    double* weight = operands[Role::weight].as<double>();
    std::fill_n(dx, volume(spec_.in), 0.0);
    for_each_block([&](std::int64_t group) {
      rows().noalias() = outputs(dy, group) * weights(weight, group);
      windows_.scatter(group, values_.data(), dx);
    });
  }

  void backward_filter(const OperandsByRole& operands) {
    const double* x = dense(operands[Role::x], spec_.in);
    double* dy = dense(operands[Role::dy], spec_.out);
    double* dweight = operands[Role::dweight].as<double>();
    double* dbias = spec_.bias ? operands[Role::dbias].as<double>() : nullptr;
    std::fill_n(dweight, weight_volume(spec_), 0.0);
    if (dbias) std::fill_n(dbias, spec_.out[Dim::c], 0.0);
    for_each_block([&](std::int64_t group) {
      windows_.gather(group, x, values_.data());
      const MatrixView signals = outputs(dy, group);
      weights(dweight, group).noalias() += signals.transpose() * rows();
      double* sums = dbias ? dbias + group * filters_ : nullptr;
      for (std::int64_t f = 0; dbias && f < filters_; ++f) sums[f] += signals.col(f).sum();
    });
  }

  // Calls f(group) for each group of each block of output positions, which are selected.
  template <typename F>
  void for_each_block(const F& f) {
    const std::int64_t step = windows_.most_selected();
    for (std::int64_t first = 0; first < windows_.positions(); first += step) {
      give_sign_of_progress();
      windows_.select(first, std::min(step, windows_.positions() - first));
      for (std::int64_t group = 0; group < spec_.groups; ++group) f(group);
    }
  }

  // Views the selected rows as (positions, channels * taps).
  MatrixView rows() { return view(values_.data(), windows_.count(), windows_.length()); }
  // Views the selected outputs, or their error signals, as (positions, filters).
  MatrixView outputs(double* y, std::int64_t group) const {
    const std::int64_t pitch = spec_.out[Dim::c];
    double* first = y + windows_.first() * pitch + group * filters_;
    return {first, windows_.count(), filters_, Eigen::OuterStride<>(pitch)};
  }
  // Views the weight of a group as (filters, channels * taps).
  MatrixView weights(double* weight, std::int64_t group) const {
    const std::int64_t length = windows_.length();
    return view(weight + group * filters_ * length, filters_, length);
  }
  static MatrixView view(double* first, std::int64_t height, std::int64_t width) {
    return {first, height, width, Eigen::OuterStride<>(width)};
  }

  KernelSpec spec_;
  std::int64_t filters_ = 0;  // in a group
  WindowRows windows_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Kernel> make_matrix_convolution(const KernelSpec& spec) {
  if (spec.kind != KernelKind::convolution || spec.precision != Precision::fp64) {
    throw std::logic_error("not a convolution in double: " + to_text(spec));
  }
  const auto run = [spec](const OperandsByRole& operands, const StepState&) {
    MatrixConvolution(spec).run(operands);
  };
  return std::make_unique<FunctionKernel>("matrix", spec, run, WindowRows(spec).bytes());
}

}  // namespace cnnplan
