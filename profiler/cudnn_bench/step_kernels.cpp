// The lowered schedule of one rank is the only list of what a step runs.
#include "profiler/cudnn_bench/step_kernels.hpp"

#include <map>
#include <utility>
#include <variant>

#include "planner/kernel/kernel_operands.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/schedule/stored_samples.hpp"
#include "planner/search/candidates/request_check.hpp"

namespace cnnplan {
namespace {

Plan plan_for_one_rank(const Network& network, std::int64_t batch, Precision precision) {
  check_batch(network, batch, 1);
  Plan plan = uniform_plan(network, batch, Mesh());
  plan.precision = precision;
  return plan;
}

}  // namespace

std::vector<StepKernel> step_kernels(const Network& network,
                                     std::int64_t batch,
                                     Precision precision) {
  const Schedule schedule = lower(plan_for_one_rank(network, batch, precision), 0);
  std::vector<StepKernel> kernels;
  std::map<KernelSpec, std::size_t> place;
  std::map<BufferIndex, std::size_t> convolution_of;  // the last one that wrote the buffer
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || volume(kernel->spec.out) == 0) continue;
    const KernelSpec spec = alone(stored_spec(schedule, *kernel, DeviceKind::gpu));
    const auto [entry, is_new] = place.emplace(spec, kernels.size());
    if (is_new) kernels.push_back({.spec = spec, .constants = kernel->constants});
    ++kernels[entry->second].count;
    const OperandPositions positions(spec);
    if (spec.kind == KernelKind::convolution && spec.phase == KernelPhase::forward) {
      convolution_of[kernel->operands[positions[OperandRole::y]].buffer] = entry->second;
    } else if (spec.phase == KernelPhase::forward_statistics) {
      const auto before = convolution_of.find(kernel->operands[positions[OperandRole::x]].buffer);
      if (before != convolution_of.end()) ++kernels[before->second].before_batch_norm;
    }
  }
  return kernels;
}

}  // namespace cnnplan
