// Sum of two tensors, with ReLU where asked for; also the accumulation of error signals.
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED void add(const float* a, const float* b, float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
}

CNNPLAN_VECTORIZED void add_relu(const float* a, const float* b, float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = a[i] + b[i];
    y[i] = sum > 0.0F ? sum : 0.0F;
  }
}

}  // namespace

std::unique_ptr<Kernel> make_add(const KernelSpec& spec) {
  const auto loop = spec.relu ? add_relu : add;
  return std::make_unique<FunctionKernel>("loops", 3, [=](Operands operands, const StepState&) {
    for_each_run<3>(spec.out, {operands[0], operands[1], operands[2]}, [&](const Run<3>& run) {
      loop(run.data[0], run.data[1], run.data[2], run.positions * spec.out[Dim::c]);
    });
  });
}

}  // namespace cnnplan::onednn
