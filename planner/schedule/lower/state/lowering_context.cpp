// Answers questions about the blocks and the units of one rank.
#include "planner/schedule/lower/state/lowering_context.hpp"

#include <utility>

#include "planner/plan/plan_queries.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

LoweringContext::LoweringContext(const Decomposition& decomposition,
                                 int rank,
                                 const LoweringRequest& request,
                                 IndexedVector<UnitIndex, bool> lowered)
    : decomposition_(decomposition),
      rank_(rank),
      request_(request),
      lowered_(std::move(lowered)),
      is_of_main_loss_(network().layers_of_main_loss()) {
  find_read();
}

void LoweringContext::find_read() {
  if (lowered_.empty()) return;
  is_read_.assign(network().layers().size(), false);
  for (const Unit& unit : decomposition_.units()) {
    if (!is_lowered(decomposition_.index_of(unit))) continue;
    for (LayerIndex source : unit.inputs) is_read_[source] = true;
  }
}

BufferElement LoweringContext::parameter_buffer() const {
  return buffer_element(parameter_element(plan().precision));
}

const std::string& LoweringContext::name_of(LayerIndex layer) const {
  return lowered_.empty() ? network().layer(layer).name : no_name_;
}

bool LoweringContext::runs(const Unit& unit) const {
  return !is_inference() || is_of_main_loss_[unit.last];
}

bool LoweringContext::recomputes(const Unit& unit) const {
  return !is_inference() && layer_plan(unit.head).recompute;
}

bool LoweringContext::has_partial_sums(const Unit& unit) const {
  return sums_over_channels(layer_plan(unit.head).split());
}

Box LoweringContext::storage_box(const Unit& unit) const {
  std::vector<Box> dense_reads;
  for (LayerIndex consumer : network().consumers_of(unit.last)) {
    if (!needs_dense_blocks(traits_of(network().layer(consumer).parameters))) continue;
    if (layer_plan(consumer).gather != GatherMethod::direct) continue;  // has a buffer of its own
    dense_reads.push_back(needed_box(decomposition_.unit_of(consumer), 0));
  }
  return storage_block(
      own_box(unit.last), needs_dense_blocks(traits_of(parameters(unit))), dense_reads);
}

bool is_by_multigrid(const LoweringContext& context, LayerIndex layer) {
  return is_by_multigrid(context.plan(), layer);
}

}  // namespace cnnplan
