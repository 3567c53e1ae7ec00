// Copies blocks of outputs from the order of a device to the order of files.
#include "executor/step/output.hpp"

#include <cstddef>
#include <cstdint>

#include "executor/backend/element.hpp"
#include "executor/step/slices.hpp"
#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// Returns the elements in row-major order (N, C, D, H, W).
template <typename T>
std::vector<double> elements_of(const TensorView& view) {
  std::vector<double> elements;
  elements.reserve(volume(view.shape()));
  Shape index;
  const Box& box = view.box;
  for (index[Dim::n] = box[Dim::n].begin; index[Dim::n] < box[Dim::n].end; ++index[Dim::n])
    for (index[Dim::c] = box[Dim::c].begin; index[Dim::c] < box[Dim::c].end; ++index[Dim::c])
      for (index[Dim::d] = box[Dim::d].begin; index[Dim::d] < box[Dim::d].end; ++index[Dim::d])
        for (index[Dim::h] = box[Dim::h].begin; index[Dim::h] < box[Dim::h].end; ++index[Dim::h])
          for (index[Dim::w] = box[Dim::w].begin; index[Dim::w] < box[Dim::w].end;
               ++index[Dim::w]) {
            std::int64_t offset = 0;
            for (Dim dim : all_dims) offset += (index[dim] - box[dim].begin) * view.stride(dim);
            elements.push_back(static_cast<double>(view.as<T>()[offset]));
          }
  return elements;
}

}  // namespace

LayerIndex output_layer(const Network& network) {
  return network.inputs_of(network.loss_layer())[0];
}

std::int64_t gathered_bytes(const Plan& plan) {
  const Shape shape = plan.network.output_shape(output_layer(plan.network), plan.batch);
  return checked_multiply(volume(shape), sizeof(double));
}

std::vector<double> gather_output(const Plan& plan,
                                  const Schedule& schedule,
                                  const ScheduleMemory& memory,
                                  const Communicator& world) {
  const LayerIndex layer = output_layer(plan.network);
  TensorSlice slice{.shape = plan.network.output_shape(layer, plan.batch), .box = {}, .values = {}};
  const Mesh& mesh = plan.layers[layer].mesh;
  const bool is_replica = mesh.coordinate(world.rank(), Axis::r) > 0;
  if (!is_replica) {
    const HostBlock block = memory.read(schedule.outputs[layer]);
    slice.box = block.view.box;
    slice.values = with_type_of(activation_element(plan.precision),
                                [&]<typename T>(T) { return elements_of<T>(block.view); });
  }
  return gather(slice, world);
}

}  // namespace cnnplan
