// Names and shapes of parameters in files; gathering of distributed outputs.
#include "executor/training/parameter_file.hpp"

#include "executor/backend/element.hpp"
#include "executor/training/weights_file.hpp"
#include "planner/model/distribution.hpp"

namespace cnnplan {
namespace {

std::string name_of(const ParameterSlot& slot, const Network& network, const char* suffix) {
  return tensor_name(network.layer(slot.layer).name, std::string(to_text(slot.role)) + suffix);
}

std::vector<std::int64_t> extents_of(const ParameterSlot& slot) {
  return slot.role == ParameterRole::weight ? stored_extents(slot.shape)
                                            : std::vector<std::int64_t>{slot.elements};
}

std::vector<LayerIndex> batch_norms(const Network& network) {
  std::vector<LayerIndex> layers;
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    if (std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) layers.push_back(layer);
  }
  return layers;
}

// Elements of a layer's output that a rank owns, as a part of all; replicas count each.
double own_share(const Plan& plan, LayerIndex layer, int rank) {
  const Shape shape = plan.network.output_shape(layer, plan.batch);
  const Distribution blocks(shape, plan.layers[static_cast<std::size_t>(layer)].mesh);
  return static_cast<double>(volume(blocks.box(rank))) / static_cast<double>(volume(shape));
}

// Calls action(position, value) for every element of a view; position is row-major (N, C, D, H, W)
// in a tensor of `shape`.
template <typename T, typename Action>
void for_each_element(const TensorView& view, const Shape& shape, Action&& action) {
  Shape index;
  const Box& box = view.box;
  for (index[Dim::n] = box[Dim::n].begin; index[Dim::n] < box[Dim::n].end; ++index[Dim::n])
    for (index[Dim::c] = box[Dim::c].begin; index[Dim::c] < box[Dim::c].end; ++index[Dim::c])
      for (index[Dim::d] = box[Dim::d].begin; index[Dim::d] < box[Dim::d].end; ++index[Dim::d])
        for (index[Dim::h] = box[Dim::h].begin; index[Dim::h] < box[Dim::h].end; ++index[Dim::h])
          for (index[Dim::w] = box[Dim::w].begin; index[Dim::w] < box[Dim::w].end;
               ++index[Dim::w]) {
            std::int64_t offset = 0;
            std::int64_t position = 0;
            for (Dim dim : all_dims) {
              offset += (index[dim] - box[dim].begin) * view.stride(dim);
              position = position * shape[dim] + index[dim];
            }
            action(position, static_cast<double>(view.as<T>()[offset]));
          }
}

// One element of a distributed tensor on its way to rank 0.
struct Element {
  std::int64_t position;
  double value;
};

std::vector<double> gather_tensor(const TensorView& block,
                                  const Shape& shape,
                                  ElementType type,
                                  const Communicator& world) {
  std::vector<Element> elements;
  const auto collect = [&](std::int64_t position, double value) {
    elements.push_back({position, value});
  };
  with_type_of(type, [&]<typename T>(T) { for_each_element<T>(block, shape, collect); });
  std::vector<double> tensor(static_cast<std::size_t>(volume(shape)));
  for (const auto& received : world.gather(std::span<const Element>(elements), 0)) {
    for (const Element& element : received) {
      tensor[static_cast<std::size_t>(element.position)] = element.value;
    }
  }
  return tensor;
}

void write_parameters(TensorFileWriter& file,
                      const Network& network,
                      const ParameterStore& store,
                      double loss_scale) {
  for (std::size_t i = 0; i < store.slots().size(); ++i) {
    const ParameterSlot& slot = store.slots()[i];
    const auto index = static_cast<int>(i);
    file.write(name_of(slot, network, ""),
               extents_of(slot),
               store.plain(ParameterArena::weights, index),
               store.precision());
    std::vector<double> gradient = store.plain(ParameterArena::gradients, index);
    for (double& value : gradient) value /= loss_scale;
    file.write(name_of(slot, network, "_gradient"), extents_of(slot), gradient, store.precision());
  }
  for (LayerIndex layer : batch_norms(network)) {
    const std::string& name = network.layer(layer).name;
    for (const bool variance : {false, true}) {
      const auto values = store.running_values(layer, variance);
      const std::vector<std::int64_t> extents{static_cast<std::int64_t>(values.size())};
      file.write(
          tensor_name(name, variance ? "variance" : "mean"), extents, values, store.precision());
    }
  }
}

}  // namespace

void load_parameters(const std::string& file, const Network& network, ParameterStore& store) {
  const TensorFileReader reader(file);
  for (std::size_t i = 0; i < store.slots().size(); ++i) {
    const ParameterSlot& slot = store.slots()[i];
    store.set_weight(static_cast<int>(i),
                     reader.read(name_of(slot, network, ""), extents_of(slot)));
  }
  for (LayerIndex layer : batch_norms(network)) {
    const std::vector<std::int64_t> extents{network.output_shape(layer, 1)[Dim::c]};
    const std::string& name = network.layer(layer).name;
    store.set_running_values(layer, false, reader.read(tensor_name(name, "mean"), extents));
    store.set_running_values(layer, true, reader.read(tensor_name(name, "variance"), extents));
  }
}

void average_running_values(ParameterStore& store, const Plan& plan, const Communicator& world) {
  for (LayerIndex layer : batch_norms(plan.network)) {
    const double weight = own_share(plan, layer, world.rank());
    for (const bool variance : {false, true}) {
      std::vector<double> values = store.running_values(layer, variance);
      for (double& value : values) value *= weight;
      values.push_back(weight);
      world.allreduce(std::span(values), AllreduceAlgorithm::library);
      const double total = values.back();
      values.pop_back();
      for (double& value : values) value /= total;
      store.set_running_values(layer, variance, values);
    }
  }
}

void dump(const std::string& file,
          const Plan& plan,
          const LastStep& step,
          const Communicator& world) {
  const Network& network = plan.network;
  const LayerIndex output = network.inputs_of(network.loss_layer())[0];
  const Shape shape = network.output_shape(output, plan.batch);
  const Operand& operand = step.schedule.outputs[static_cast<std::size_t>(output)];
  const HostBlock block = step.runner.memory().read(operand);
  const auto values = gather_tensor(block.view, shape, activation_element(plan.precision), world);
  if (world.rank() != 0) return;
  TensorFileWriter writer(file);
  write_parameters(writer, network, step.store, step.loss_scale);
  writer.write(tensor_name(network.layer(output).name, "output"),
               stored_extents(shape),
               values,
               plan.precision);
  const double loss = step.runner.loss();
  writer.write("/loss", std::vector<std::int64_t>{1}, std::span(&loss, 1), Precision::fp64);
  writer.finish();
}

}  // namespace cnnplan
