// Adds the operation that loads the samples and the labels of all losses.
#include "planner/schedule/lower/layers/input.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace cnnplan {
namespace {

// Returns Schedule::data_reader. Multigrid runs the layers of a chain on states, too, so they are
// left out.
LayerIndex data_reader_of(const LoweringContext& context, LayerIndex samples) {
  const Network& network = context.network();
  const Decomposition& decomposition = context.decomposition();
  if (!has_one_dense_reader(network, samples)) return {};
  const LayerIndex reader = network.consumers_of(samples).front();
  const auto* convolution = std::get_if<Convolution>(&network.layer(reader).parameters);
  const bool is_loaded =
      decomposition.loads_needed(samples) ||
      same_boxes(decomposition.owned(samples), decomposition.needed_by_reader(samples));
  const bool reads_alone = convolution != nullptr && convolution->groups == 1 && is_loaded &&
                           !is_by_multigrid(context, reader);
  return reads_alone ? reader : LayerIndex();
}

}  // namespace

void forward_input(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  const Decomposition& decomposition = context.decomposition();
  Schedule& schedule = state.writer.schedule();
  const Operand samples = state.tensors.add_output(unit, BufferRole::data);
  schedule.data = samples.buffer;
  schedule.data_box = decomposition.loads_needed(unit.last)
                          ? decomposition.needed_by_reader(unit.last).box(context.rank())
                          : samples.box;
  schedule.data_reader = data_reader_of(context, unit.last);
  LoadOperation load{.data = schedule.data, .labels = {}};
  for (const Unit& loss : decomposition.units()) {
    if (!is_loss(context.parameters(loss)) || !context.runs(loss)) continue;
    const BufferIndex labels = state.tensors.add_labels(loss.head);
    if (std::find(load.labels.begin(), load.labels.end(), labels) == load.labels.end()) {
      load.labels.push_back(labels);
    }
  }
  schedule.labels = state.tensors.labels(context.network().loss_layer());
  state.writer.builder().add_operation({.id = context.name(unit) + "/load",
                                        .label = {.part = OperationPart::load, .layer = unit.head}},
                                       unit.head,
                                       Stream::io,
                                       std::move(load));
}

}  // namespace cnnplan
