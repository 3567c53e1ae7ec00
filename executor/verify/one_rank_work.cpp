// Counts the operations of convolutions, and measures the speed of short ones.
#include "executor/verify/one_rank_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <variant>
#include <vector>

#include "executor/verify/dense_operand.hpp"
#include "executor/verify/matrix_convolution.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

// The exact step runs a convolution once. The other three also sum its absolute terms.
constexpr double runs_of_convolutions = 7.0;
constexpr int repetitions = 20;  // a busy machine disturbs some
constexpr double giga = 1e9;

constexpr std::int64_t channels = 64;

KernelSpec short_convolution(std::int64_t groups) {
  KernelSpec spec{.groups = groups, .precision = Precision::fp64};
  spec.in = spec.out = Shape{{1, channels, 1, 28, 28}};
  for (const std::size_t dim : {1, 2}) {
    spec.window.dims[dim] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  return spec;
}

// Returns the operations per second in the fastest of several repetitions.
double measured_rate(std::int64_t groups) {
  const KernelSpec spec = short_convolution(groups);
  std::vector<double> x(volume(spec.in), 1.0);
  std::vector<double> weight(weight_volume(spec), 1.0);
  std::vector<double> y(volume(spec.out));
  const Box weight_box = whole(Shape{{1, 1, 1, 1, weight_volume(spec)}});
  const std::vector<TensorView> operands{dense_view(x, whole(spec.in)),
                                         dense_view(weight, weight_box),
                                         dense_view(y, whole(spec.out))};
  const auto kernel = make_matrix_convolution(spec);
  double rate = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    kernel->run(operands, {});
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    rate = std::max(rate, flops(spec) / time.count());
  }
  return rate;
}

}  // namespace

ConvolutionWork convolution_work(const Plan& plan) {
  Plan in_double = on_one_rank(plan);
  in_double.precision = Precision::fp64;
  ConvolutionWork work;
  for (const Operation& operation : lower(in_double, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (!kernel || kernel->spec.kind != KernelKind::convolution) continue;
    const KernelSpec& spec = kernel->spec;
    const bool is_depthwise = spec.groups > 1 && spec.groups == spec.in[Dim::c];
    (is_depthwise ? work.depthwise_flops : work.usual_flops) += flops(spec);
  }
  return work;
}

std::string work_of_one_rank(const Plan& plan) {
  const ConvolutionWork work = convolution_work(plan);
  const double seconds =
      work.usual_flops / measured_rate(1) + work.depthwise_flops / measured_rate(channels);
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << "one rank computes "
       << runs_of_convolutions * (work.usual_flops + work.depthwise_flops) / giga
       << " Gflop of convolutions in double, in about " << runs_of_convolutions * seconds
       << " s, and its other kernels";
  return text.str();
}

}  // namespace cnnplan
