// Lowers a plan for one rank or several ranks: forward pass, backward pass and updates.
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <variant>

#include "planner/base/parallel.hpp"
#include "planner/schedule/lower/layers/batch_norm.hpp"
#include "planner/schedule/lower/layers/layer_passes.hpp"
#include "planner/schedule/lower/lower_representatives.hpp"
#include "planner/schedule/lower/multigrid/chain_lowering.hpp"
#include "planner/schedule/lower/state/gather_refusal.hpp"
#include "planner/schedule/lower/state/lowering_state.hpp"
#include "planner/schedule/memory_layout.hpp"
#include "planner/schedule/reuse_dependencies.hpp"

namespace cnnplan {
namespace {

// Refuses gathers node by node that would not take place.
void require_gathers(const LoweringContext& context, const Unit& unit) {
  for (const LayerIndex layer : layers_of(context.network(), unit)) {
    if (context.layer_plan(layer).gather == GatherMethod::direct) continue;
    const Decomposition& decomposition = context.decomposition();
    const bool gathers = layer == unit.head && !decomposition.loads_needed(unit.inputs[0]) &&
                         decomposition.exchanges(unit, 0).to_parts != nullptr;
    if (gathers) continue;
    refuse_gather(
        context,
        layer,
        "\"direct\"",
        "the ranks of a node need no common block that they can cut along this dim, or its "
        "input has replicas");
  }
}

void forward_pass(LoweringState& state) {
  const LoweringContext& context = state.context;
  const IndexedVector<UnitIndex, Unit>& units = context.decomposition().units();
  for (const UnitIndex i : units.indices()) {
    const Multigrid* const chain = chain_of(context.plan(), units[i]);
    if (!context.is_lowered(i)) {
      if (context.is_read(units[i])) state.tensors.add_output(units[i]);
    } else if (!context.runs(units[i])) {
      // The unit has no kernels, but its running values are among the values of the network.
      const bool is_batch_norm = std::holds_alternative<BatchNorm>(context.parameters(units[i]));
      if (is_batch_norm) add_running_values(context, state.writer, units[i]);
    } else if (chain == nullptr) {
      require_gathers(context, units[i]);
      forward_unit(state, units[i]);
    } else if (units[i].head == chain->first) {
      forward_chain(state, *chain);
    }
  }
}

void backward_pass(LoweringState& state) {
  const LoweringContext& context = state.context;
  const IndexedVector<UnitIndex, Unit>& units = context.decomposition().units();
  for (UnitIndex i = units.end_index(); i-- > 0;) {
    const Multigrid* const chain = chain_of(context.plan(), units[i]);
    if (!context.is_lowered(i)) {
      state.gradients.contribute_nothing(units[i]);
    } else if (chain == nullptr) {
      backward_unit(state, units[i]);
    } else if (units[i].last == chain->last) {
      backward_chain(state, *chain);
    }
  }
}

// Keeps the memory of a buffer to the end of the step.
void keep_to_end(Schedule& schedule, BufferIndex buffer) {
  schedule.buffers[buffer].last_use = schedule.operations.last_index();
}

// The input of the main loss and the residuals are read after the step.
void keep_results(const LoweringState& state) {
  const Network& network = state.context.network();
  Schedule& schedule = state.writer.schedule();
  for (const PointResidual& residual : schedule.residuals) {
    keep_to_end(schedule, residual.operand.buffer);
  }
  const LayerIndex logits = network.inputs_of(network.loss_layer())[0];
  keep_to_end(schedule, state.tensors.output(logits).buffer);
}

// Lowers for one rank. `lowered` says for each unit whether it is lowered; empty stands for all.
Schedule lower(const Decomposition& decomposition,
               int rank,
               const LoweringRequest& request,
               const IndexedVector<UnitIndex, bool>& lowered = {}) {
  const LoweringContext context(decomposition, rank, request, lowered);
  OperationWriter writer(context);
  TensorTable tensors(context, writer);
  ParameterLayout parameters(context, writer);
  Recomputation recompute(context, writer, tensors, parameters);
  GradientTable gradients(context, writer);
  GradientBuckets buckets(context, writer, parameters);
  LoweringState state{context, writer, tensors, parameters, recompute, gradients, buckets};

  Schedule& schedule = writer.schedule();
  const std::size_t layers = context.network().layers().size();
  schedule.running_mean.resize(layers);
  schedule.running_variance.resize(layers);
  parameters.add_all();
  buckets.gather_weights();
  forward_pass(state);
  if (!context.is_inference()) {
    backward_pass(state);
    buckets.update_all();
  }
  keep_results(state);
  schedule.outputs = tensors.outputs();
  if (request.detail == Detail::priced) return std::move(schedule);
  place_buffers(schedule);
  if (context.plan().overlap || schedule.lanes > 1) add_reuse_dependencies(schedule);
  return std::move(schedule);
}

std::vector<Schedule> lower_all(const Decomposition& decomposition,
                                std::span<const int> ranks,
                                const LoweringRequest& request,
                                const IndexedVector<UnitIndex, bool>& lowered = {}) {
  std::vector<Schedule> schedules(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t i) {
    schedules[i] = lower(decomposition, ranks[i], request, lowered);
  });
  return schedules;
}

}  // namespace

Schedule lower(const Plan& plan, int rank, const LoweringRequest& request) {
  return lower(plan, std::array{rank}, request).front();
}

std::vector<Schedule> lower(const Plan& plan,
                            std::span<const int> ranks,
                            const LoweringRequest& request) {
  return lower_all(Decomposition(plan), ranks, request);
}

void lower_each(const Plan& plan,
                std::span<const int> ranks,
                const LoweringRequest& request,
                const std::function<void(std::size_t, Schedule)>& take) {
  lower_each_while(plan, ranks, ranks.size(), request, take, [] { return true; });
}

bool lower_each_while(const Plan& plan,
                      std::span<const int> ranks,
                      std::size_t first,
                      const LoweringRequest& request,
                      const std::function<void(std::size_t, Schedule)>& take,
                      const std::function<bool()>& goes_on) {
  const Decomposition decomposition(plan);
  const auto lower_from = [&](std::size_t begin, std::size_t count) {
    parallel_for(count, [&](std::size_t i) {
      take(begin + i, lower(decomposition, ranks[begin + i], request));
    });
  };
  lower_from(0, first);
  if (first == ranks.size()) return true;
  if (!goes_on()) return false;
  lower_from(first, ranks.size() - first);
  return true;
}

std::vector<Schedule> lower_representatives(const FusedUnits& units,
                                            const UnitClasses& classes,
                                            const IndexedVector<UnitIndex, bool>& wanted,
                                            std::span<const int> ranks) {
  const IndexedVector<UnitIndex, bool> lowered = classes.around_representatives(wanted);
  return lower_all(Decomposition(units, lowered), ranks, {.detail = Detail::priced}, lowered);
}

}  // namespace cnnplan
