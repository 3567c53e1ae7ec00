// Gathers distributed parameters, gradients and outputs, and names them in files.
#include "executor/checkpoint/parameter_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "executor/backend/element.hpp"
#include "executor/checkpoint/training_state.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "executor/step/output.hpp"
#include "executor/step/slices.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

constexpr const char* gradient_suffix = "_gradient";

std::string name_of(const ParameterSlot& slot, const Network& network, const char* suffix) {
  return tensor_name(network.layer(slot.layer).name, std::string(to_text(slot.role)) + suffix);
}

// Weights have the extents of other tensors; all other parameters have one dim.
std::vector<std::int64_t> extents_of(const ParameterSlot& slot) {
  return slot.role == ParameterRole::weight ? stored_extents(slot.shape)
                                            : std::vector<std::int64_t>{slot.shape[Dim::w]};
}

Selection selection_of(const ParameterSlot& slot, const Box& part) {
  if (slot.role == ParameterRole::weight) return stored_selection(slot.shape, part);
  const Range range = part[Dim::w];
  return {.start = {range.begin}, .count = {range.size()}};
}

const Mesh& mesh_of(const Plan& plan, LayerIndex layer) {
  return plan.layers[layer].mesh;
}

// Holds the values of an arena divided by `divisor`.
struct DumpedArena {
  const ParameterStore& store;
  ParameterArena arena = ParameterArena::weights;
  double divisor = 1.0;
};

// Writes whole tensors; every rank contributes its part of each. Parameters are gathered and
// written some filters at a time.
class DumpWriter {
 public:
  // The constructor and all members below are collective.
  DumpWriter(const std::string& file, const Plan& plan, const Communicator& world)
      : plan_(plan), world_(world) {
    if (world.rank() == 0) file_.emplace(file);
  }

  void parameters(const LastStep& step) {
    for (const SlotIndex index : step.store.slots().indices()) {
      parameter({.store = step.store}, index, "");
      if (step.runner == nullptr) continue;
      parameter(
          {.store = step.store, .arena = ParameterArena::gradients, .divisor = step.loss_scale},
          index,
          gradient_suffix);
    }
  }
  void output_and_loss(const LastStep& step) {
    const LayerIndex output = output_layer(plan_.network);
    write(tensor_name(plan_.network.layer(output).name, "output"),
          stored_extents(plan_.network.output_shape(output, plan_.batch)),
          gather_output(plan_, step.schedule, step.runner->memory(), world_),
          plan_.precision);
    write("/loss", std::array{std::int64_t{1}}, {step.runner->loss()}, Precision::fp64);
  }
  void running_values(const ParameterStore& store, LayerIndex layer) {
    const std::int64_t channels = plan_.network.output_shape(layer, 1)[Dim::c];
    Box box = whole({{1, 1, 1, 1, channels}});
    box[Dim::w] = store.running().channels(layer);
    for (const bool variance : {false, true}) {
      const TensorSlice slice{
          {{1, 1, 1, 1, channels}}, box, store.running().values(layer, variance)};
      write(tensor_name(plan_.network.layer(layer).name, variance ? "variance" : "mean"),
            std::array{channels},
            gather(slice, mesh_of(plan_, layer), world_),
            plan_.precision);
    }
  }
  // `values` holds the whole tensor on rank 0.
  void write(const std::string& name,
             std::span<const std::int64_t> extents,
             const std::vector<double>& values,
             Precision precision) {
    if (file_) file_->write(name, extents, values, precision);
  }
  void finish() {
    if (file_) file_->finish();
  }

 private:
  void parameter(const DumpedArena& from, SlotIndex index, const char* suffix) {
    const ParameterSlot& slot = from.store.slots()[index];
    const std::int64_t filters = slot.shape[Dim::n];
    const std::int64_t step = from.store.device().is_host() ? filters_at_once(slot.shape) : filters;
    std::optional<Hdf5Dataset> dataset;
    if (file_) {
      dataset.emplace(
          file_->create(name_of(slot, plan_.network, suffix), extents_of(slot), plan_.precision));
    }
    for (std::int64_t first = 0; first < filters; first += step) {
      give_sign_of_progress();
      Box part = whole(slot.shape);
      part[Dim::n] = {first, std::min(first + step, filters)};
      const std::vector<double> values = gathered(from, index, part);
      if (dataset) dataset->write(selection_of(slot, part), values);
    }
    if (dataset) dataset->close();
  }
  // Returns a part of the whole parameter on rank 0.
  std::vector<double> gathered(const DumpedArena& from, SlotIndex index, const Box& part) {
    const ParameterSlot& slot = from.store.slots()[index];
    const bool has_some = overlap(slot.box, part);
    const Box own = has_some ? intersect(slot.box, part) : Box{};
    TensorSlice slice{.shape = shape_of(part),
                      .box = has_some ? inside(own, part) : own,
                      .values = from.store.plain(from.arena, index, own)};
    for (double& value : slice.values) value /= from.divisor;
    return gather(slice, mesh_of(plan_, slot.layer), world_);
  }

  const Plan& plan_;
  const Communicator& world_;
  std::optional<TensorFileWriter> file_;  // on rank 0
};

}  // namespace

namespace {

// Returns the place of a block's element in the whole tensor: "(3, 0, 1)".
std::string place_text(std::int64_t element, const Selection& block) {
  std::vector<std::int64_t> place = block.start;
  for (std::size_t dim = place.size(); dim-- > 0; element /= block.count[dim]) {
    place[dim] += element % block.count[dim];
  }
  return extents_text(place);
}

// Values have to be finite as `element` holds them, too.
std::vector<double> read_finite(const TensorFileReader& reader,
                                const std::string& name,
                                std::span<const std::int64_t> extents,
                                const Selection& block,
                                ElementType element) {
  std::vector<double> values = reader.read(name, extents, block);
  const auto found = std::find_if(values.begin(), values.end(), [element](double value) {
    return !std::isfinite(rounded(element, value));
  });
  if (found != values.end()) {
    throw InputError(
        {.file = reader.file(),
         .pointer = name,
         .value = "a value that is not finite at " + place_text(found - values.begin(), block),
         .allowed = "finite numbers within the range of the plan's precision"});
  }
  return values;
}

void require_no_negative(const std::vector<double>& variance,
                         const std::string& file,
                         const std::string& name) {
  const auto found = std::find_if(variance.begin(), variance.end(), [](double v) { return v < 0; });
  if (found == variance.end()) return;
  throw InputError({.file = file,
                    .pointer = name,
                    .value = std::to_string(*found),
                    .allowed = "variances that are not negative"});
}

// Returns the narrowest element in which the store keeps a parameter.
ElementType narrowest_element(const ParameterStore& store, ParameterRole role) {
  const bool is_copied = role == ParameterRole::weight && has_weight_copies(store.precision());
  return is_copied ? activation_element(store.precision()) : parameter_element(store.precision());
}

}  // namespace

void load_parameters(const std::string& file, const Network& network, ParameterStore& store) {
  const TensorFileReader reader(file);
  for (const SlotIndex i : store.slots().indices()) {
    const ParameterSlot& slot = store.slots()[i];
    store.set_weight(i, [&](const Box& slice) {
      give_sign_of_progress();
      return read_finite(reader,
                         name_of(slot, network, ""),
                         extents_of(slot),
                         selection_of(slot, slice),
                         narrowest_element(store, slot.role));
    });
  }
  for (LayerIndex layer : batch_norms(network)) {
    const std::array extents{network.output_shape(layer, 1)[Dim::c]};
    const Range channels = store.running().channels(layer);
    const Selection own{.start = {channels.begin}, .count = {channels.size()}};
    const std::string& name = network.layer(layer).name;
    for (const bool variance : {false, true}) {
      const std::string tensor = tensor_name(name, variance ? "variance" : "mean");
      const std::vector<double> values =
          read_finite(reader, tensor, extents, own, parameter_element(store.precision()));
      if (variance) require_no_negative(values, file, tensor);
      store.running().set(layer, variance, values);
    }
  }
}

void average_running_values(ParameterStore& store, const Plan& plan, const Communicator& world) {
  for (LayerIndex layer : batch_norms(plan.network)) {
    const double weight = own_share(plan, layer, world.rank());
    const std::size_t channels = plan.network.output_shape(layer, 1)[Dim::c];
    const std::size_t first = store.running().channels(layer).begin;
    for (const bool variance : {false, true}) {
      std::vector<double> values = store.running().values(layer, variance);
      // The first half sums the weighted values of each channel over ranks, the second half their
      // weights.
      std::vector<double> sums(2 * channels);
      for (std::size_t i = 0; i < values.size(); ++i) {
        sums[first + i] = weight * values[i];
        sums[channels + first + i] = weight;
      }
      world.allreduce(std::span(sums), AllreduceAlgorithm::library);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = sums[first + i] / sums[channels + first + i];
      }
      store.running().set(layer, variance, values);
    }
  }
}

std::int64_t DumpedTensor::elements() const {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  return count;
}

std::vector<DumpedTensor> dumped_tensors(const Plan& plan, const Schedule& schedule) {
  using Kind = DumpedTensor::Kind;
  const Network& network = plan.network;
  std::vector<DumpedTensor> tensors;
  for (const ParameterSlot& slot : schedule.slots) {
    tensors.push_back({name_of(slot, network, ""), extents_of(slot), Kind::weight});
    tensors.push_back({name_of(slot, network, gradient_suffix), extents_of(slot), Kind::gradient});
  }
  for (LayerIndex layer : batch_norms(network)) {
    const std::string& name = network.layer(layer).name;
    const std::int64_t channels = network.output_shape(layer, 1)[Dim::c];
    tensors.push_back({tensor_name(name, "mean"), {channels}, Kind::running_mean});
    tensors.push_back({tensor_name(name, "variance"), {channels}, Kind::running_variance});
  }
  const LayerIndex output = output_layer(network);
  tensors.push_back({tensor_name(network.layer(output).name, "output"),
                     stored_extents(network.output_shape(output, plan.batch)),
                     Kind::output});
  tensors.push_back({"/loss", {1}, Kind::loss});
  return tensors;
}

void dump(const std::string& file,
          const Plan& plan,
          const LastStep& step,
          const Communicator& world) {
  DumpWriter writer(file, plan, world);
  writer.parameters(step);
  for (LayerIndex layer : batch_norms(plan.network)) writer.running_values(step.store, layer);
  if (step.runner != nullptr) writer.output_and_loss(step);
  writer.finish();
}

}  // namespace cnnplan
