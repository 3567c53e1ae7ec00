// Gives slots of the parameter store and running values the names that files use.
#include "executor/checkpoint/training_state.hpp"

#include "executor/hdf5/weights_file.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {

std::vector<LayerIndex> batch_norms(const Network& network) {
  std::vector<LayerIndex> layers;
  for (const LayerIndex layer : network.layers().indices()) {
    if (std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) layers.push_back(layer);
  }
  return layers;
}

double own_share(const Plan& plan, LayerIndex layer, int rank) {
  const Shape shape = plan.network.output_shape(layer, plan.batch);
  const LayerPlan& own = plan.layers[layer];
  const Distribution blocks(shape, own.mesh, own.stage);
  return static_cast<double>(volume(blocks.box(rank))) / static_cast<double>(volume(shape));
}

std::vector<StateTensor> state_tensors(const ParameterStore& store, const Network& network) {
  std::vector<StateTensor> tensors;
  for (const SlotIndex i : store.slots().indices()) {
    const ParameterSlot& slot = store.slots()[i];
    for (const bool momentum : {false, true}) {
      const std::string tensor = std::string(to_text(slot.role)) + (momentum ? "_momentum" : "");
      tensors.push_back({.name = tensor_name(network.layer(slot.layer).name, tensor),
                         .layer = slot.layer,
                         .shape = slot.shape,
                         .box = slot.box,
                         .slot = i,
                         .second = momentum});
    }
  }
  for (const LayerIndex layer : batch_norms(network)) {
    const Shape shape{{1, 1, 1, 1, network.output_shape(layer, 1)[Dim::c]}};
    Box box = whole(shape);
    box[Dim::w] = store.running().channels(layer);
    for (const bool variance : {false, true}) {
      tensors.push_back(
          {.name = tensor_name(network.layer(layer).name, variance ? "variance" : "mean"),
           .layer = layer,
           .shape = shape,
           .box = box,
           .second = variance});
    }
  }
  return tensors;
}

void for_each_slice(const ParameterStore& store,
                    const StateTensor& tensor,
                    const std::function<void(const std::vector<double>& values)>& take) {
  if (tensor.is_running()) return take(store.running().values(tensor.layer, tensor.second));
  const auto arena = tensor.second ? ParameterArena::momentum : ParameterArena::weights;
  for (const Box& slice : store.slices(arena, tensor.slot)) {
    take(store.plain(arena, tensor.slot, slice));
  }
}

void set_values(ParameterStore& store, const StateTensor& tensor, const SliceSource& values) {
  if (tensor.is_running()) {
    store.running().set(tensor.layer, tensor.second, values(tensor.box));
  } else if (tensor.second) {
    store.set_momentum(tensor.slot, values);
  } else {
    store.set_weight(tensor.slot, values);
  }
}

}  // namespace cnnplan
