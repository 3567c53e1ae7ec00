// Connects the passes of a chain with the layers around it.
#include "planner/schedule/lower/multigrid/chain_lowering.hpp"

#include <algorithm>

#include "planner/schedule/lower/multigrid/backward_operator.hpp"
#include "planner/schedule/lower/multigrid/chain_pass.hpp"
#include "planner/schedule/lower/multigrid/forward_operator.hpp"

namespace cnnplan {
namespace {

LayerHierarchy hierarchy_of(const Multigrid& chain, const ResidualChain& blocks) {
  return LayerHierarchy(static_cast<int>(blocks.size()), chain.coarsening, chain.levels);
}

}  // namespace

const Multigrid* chain_of(const Plan& plan, const Unit& unit) {
  const auto found =
      std::find_if(plan.multigrid.begin(), plan.multigrid.end(), [&](const Multigrid& chain) {
        return chain.first <= unit.head && unit.head <= chain.last;
      });
  return found == plan.multigrid.end() ? nullptr : &*found;
}

void forward_chain(LoweringState& state, const Multigrid& chain) {
  const LoweringContext& context = state.context;
  const ResidualChain blocks = part_of_chain(context.network(), chain.first, chain.last);
  const Operand first = state.tensors.fetch(context.decomposition().unit_of(chain.first), 0);
  const ChainGeometry geometry(context, chain, blocks, hierarchy_of(chain, blocks));
  ChainLabels labels(context.network(), KernelPhase::forward);
  ForwardOperator forward(state, geometry, labels);
  ChainPass(context, state.writer, geometry, forward, labels, first).run();
}

void backward_chain(LoweringState& state, const Multigrid& chain) {
  const LoweringContext& context = state.context;
  const ResidualChain blocks = part_of_chain(context.network(), chain.first, chain.last);
  const Operand first = state.gradients.total(context.decomposition().unit_of(chain.last));
  const ChainGeometry geometry(
      context, chain, {blocks.rbegin(), blocks.rend()}, hierarchy_of(chain, blocks).reversed());
  ChainLabels labels(context.network(), KernelPhase::backward_data);
  BackwardOperator backward(state, geometry, labels);
  const Operand last = ChainPass(context, state.writer, geometry, backward, labels, first).run();
  const Unit& unit = context.decomposition().unit_of(blocks.front().sum);
  if (!context.decomposition().requires_gradient(unit.inputs[0])) return;
  state.gradients.contribute(unit, 0, {.operand = last});
}

}  // namespace cnnplan
