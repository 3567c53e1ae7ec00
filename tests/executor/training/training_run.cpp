// Connects the parts of executor/training for one short run, and gathers its results.
#include "tests/executor/training/training_run.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <sstream>

#include "executor/backend/element.hpp"
#include "executor/backend/random.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/step/gather_shards.hpp"
#include "executor/step/slices.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/tensor/distribution.hpp"
#include "tests/executor/data/block_buffer.hpp"

namespace cnnplan::test {
namespace {

// The learning rate is small, so that the softmax stays uncertain and floats do not lose its
// gradient.
constexpr double learning_rate = 1e-3;

void set_first_weights(ParameterStore& store, const Network& network, const RunSetup& setup) {
  initialize(store, network, setup.seed);
  for (const SlotIndex slot : store.slots().indices()) {
    const ParameterSlot& parameter = store.slots()[slot];
    std::vector<double> values = store.plain(ParameterArena::weights, slot);
    const std::uint64_t key =
        random_key({.seed = setup.seed,
                    .use = RandomUse::weights,
                    .stream = 1000 * (1 + static_cast<std::uint64_t>(parameter.role)) +
                              static_cast<std::uint64_t>(parameter.layer)});
    double* next = values.data();
    for_each_run(parameter.shape, parameter.box, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i, ++next) {
        const double draw = random_uniform(key, static_cast<std::uint64_t>(i)) - 0.5;
        if (parameter.role != ParameterRole::weight) *next += draw;
        *next *= 1.0 + (i % 2 == 0 ? setup.perturbation : -setup.perturbation);
      }
    });
    store.set_weight(slot, in_slices(values));
  }
}

// Returns the elements of a block in the order of (N, C, D, H, W).
template <typename T>
std::vector<double> elements_of(const TensorView& view) {
  std::vector<double> elements;
  for_each_index(view.box, [&](const Index& index) {
    std::int64_t offset = 0;
    for (Dim dim : all_dims) {
      offset += (index[static_cast<std::size_t>(dim)] - view.box[dim].begin) * view.stride(dim);
    }
    elements.push_back(static_cast<double>(view.as<T>()[offset]));
  });
  return elements;
}

// Returns the tensor that the blocks of all ranks form. Replicas hold the same values.
std::vector<double> assemble(const Distribution& distribution,
                             const std::vector<std::vector<double>>& blocks) {
  const Shape& shape = distribution.shape();
  std::vector<double> tensor(static_cast<std::size_t>(volume(shape)));
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    const double* next = blocks[rank].data();
    for_each_index(distribution.box(static_cast<int>(rank)), [&](const Index& index) {
      std::int64_t position = 0;
      for (Dim dim : all_dims) {
        position = position * shape[dim] + index[static_cast<std::size_t>(dim)];
      }
      tensor[static_cast<std::size_t>(position)] = *next++;
    });
  }
  return tensor;
}

std::vector<double> gather_output(const Plan& plan,
                                  const Schedule& schedule,
                                  const StepRunner& runner,
                                  const Communicator& world) {
  const LayerIndex layer = plan.network.inputs_of(plan.network.loss_layer())[0];
  const HostBlock block = runner.memory().read(schedule.outputs[layer]);
  const TensorView& view = block.view;
  const std::vector<double> own = with_type_of(
      activation_element(plan.precision), [&view]<typename T>(T) { return elements_of<T>(view); });
  const auto blocks = world.gather(std::span<const double>(own), 0);
  const Distribution distribution(plan.network.output_shape(layer, plan.batch),
                                  plan.layers[layer].mesh);
  return world.rank() == 0 ? assemble(distribution, blocks) : std::vector<double>{};
}

// Returns the whole tensor on every rank. The rank's own part is the one that it holds itself.
std::vector<double> gather_parameter(const TensorSlice& slice,
                                     const Mesh& mesh,
                                     const Communicator& world) {
  const std::vector<double> assembled = gather(slice, mesh, world);
  const std::span<const double> span(assembled);
  const std::string bytes = world.broadcast(
      std::string(reinterpret_cast<const char*>(span.data()), span.size_bytes()), 0);
  std::vector<double> tensor(bytes.size() / sizeof(double));
  std::memcpy(tensor.data(), bytes.data(), bytes.size());
  const double* next = slice.values.data();
  for_each_run(slice.shape, slice.box, [&](std::int64_t first, std::int64_t count) {
    std::copy_n(next, count, tensor.begin() + first);
    next += count;
  });
  return tensor;
}

const Mesh& mesh_of(const Plan& plan, LayerIndex layer) {
  return plan.layers[layer].mesh;
}

NamedValues named(const ParameterStore& store,
                  ParameterArena arena,
                  const Plan& plan,
                  const Communicator& world) {
  NamedValues values;
  for (const SlotIndex slot : store.slots().indices()) {
    const ParameterSlot& parameter = store.slots()[slot];
    const std::string& layer = plan.network.layer(parameter.layer).name;
    values[layer + '/' + std::string(to_text(parameter.role))] =
        gather_parameter({parameter.shape, parameter.box, store.plain(arena, slot)},
                         mesh_of(plan, parameter.layer),
                         world);
  }
  return values;
}

void add_running_values(NamedValues& values,
                        const ParameterStore& store,
                        const Plan& plan,
                        const Communicator& world) {
  const Network& network = plan.network;
  for (const LayerIndex layer : network.layers().indices()) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const Shape shape{{1, 1, 1, 1, network.output_shape(layer, 1)[Dim::c]}};
    Box box = whole(shape);
    box[Dim::w] = store.running().channels(layer);
    for (const bool variance : {false, true}) {
      values[network.layer(layer).name + (variance ? "/variance" : "/mean")] = gather_parameter(
          {shape, box, store.running().values(layer, variance)}, mesh_of(plan, layer), world);
    }
  }
}

void append(std::string& bytes, std::span<const double> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

// The backends are never destroyed, since a device's library may end before static objects.
std::map<std::string, std::unique_ptr<Backend>>& backends() {
  static auto* const kept = new std::map<std::string, std::unique_ptr<Backend>>;
  return *kept;
}

// Returns two lines for each convolution of a rank: its specification and its implementation.
std::string implementations_of(const Plan& plan, Backend& backend, int rank) {
  std::string lines;
  for (const Operation& operation : lower(plan, rank).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
    const auto made = backend.make_kernel(kernel->spec, kernel->constants, {});
    lines += to_text(canonical(kernel->spec)) + '\n' + made->implementation() + '\n';
  }
  return lines;
}

void add_parameters(RunResult& result,
                    const Sharded& sharded,
                    const Plan& plan,
                    double loss_scale) {
  const Communicator& world = sharded.groups.world();
  const ParameterStore& parameters = sharded.store;
  gather_weights(sharded);
  gather_gradients(sharded);
  const WholeMomentum momentum(sharded);
  result.gradients = named(parameters, ParameterArena::gradients, plan, world);
  for (auto& [name, values] : result.gradients) {
    for (double& value : values) value /= loss_scale;
  }
  result.momentum = named(parameters, ParameterArena::momentum, plan, world);
  result.weights = named(parameters, ParameterArena::weights, plan, world);
  add_running_values(result.weights, parameters, plan, world);
}

}  // namespace

Backend& kept_backend(const std::string& name) {
  std::unique_ptr<Backend>& backend = backends()[name];
  if (backend == nullptr) {
    backend = make_backend(name, {.deterministic = true, .engine_trials = 2});
  }
  return *backend;
}

void forget_backends() {
  backends().clear();
}

Plan with_implementations(const Plan& plan, const std::string& backend, const Communicator& world) {
  if (kept_backend(backend).device().is_host()) return plan;
  const std::string own = implementations_of(plan, kept_backend(backend), world.rank());
  Plan fixed = plan;
  std::string all;
  for (const std::string& lines : world.gather(own, 0)) all += lines;
  std::istringstream stream(world.broadcast(all, 0));
  for (std::string spec, name; std::getline(stream, spec) && std::getline(stream, name);) {
    fixed.implementations.emplace(spec, name);
  }
  return fixed;
}

Plan repeatable(const Plan& plan, const std::string& backend, const Communicator& world) {
  const DeviceFingerprint fingerprint = kept_backend(backend).fingerprint();
  Plan named = with_implementations(plan, backend, world);
  named.device = "; " + fingerprint.backend + " (" + fingerprint.library + ")";
  return named;
}

RunResult run_plan(const Plan& plan, const RunSetup& setup, const Communicator& world) {
  const Schedule schedule = lower(plan, world.rank());
  Backend& backend = kept_backend(setup.backend);
  backend.prepare_thread();
  SyntheticData synthetic(batch_shape(plan.network, plan.batch, plan.precision), setup.seed);
  ParameterStore parameters(schedule, plan.network, plan.precision, backend);
  set_first_weights(parameters, plan.network, setup);
  Groups groups(world);
  StepRunner runner(schedule,
                    {.backend = &backend,
                     .parameters = &parameters,
                     .groups = &groups,
                     .data = setup.data ? setup.data : &synthetic,
                     .in_place_of_communication = {},
                     .overlap = setup.overlap,
                     .graphs = setup.graphs ? Graphs::on : Graphs::off});
  const Timing timing = setup.graphs ? Timing::step : Timing::operations;
  RunResult result;
  for (int step = 0; step < setup.steps; ++step) {
    runner.run({.seed = setup.seed,
                .step = step,
                .learning_rate = learning_rate,
                .momentum = 0.9,
                .weight_decay = 1e-3,
                .loss_scale = setup.loss_scale},
               timing);
    result.loss.push_back(runner.loss());
  }
  result.output = gather_output(plan, schedule, runner, world);
  add_parameters(result,
                 {.schedule = schedule, .store = parameters, .groups = groups},
                 plan,
                 setup.loss_scale);
  return result;
}

std::optional<std::string> refused_kernel(const Plan& plan, const std::string& backend, int rank) {
  for (const Operation& operation : lower(plan, rank).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || kernel->spec.kind == KernelKind::sgd) continue;
    try {
      kept_backend(backend).make_kernel(kernel->spec, kernel->constants, {});
    } catch (const BackendError& error) {
      return error.what();
    }
  }
  return std::nullopt;
}

bool same_on_all_ranks(const RunResult& result, const Communicator& world) {
  std::string bytes;
  append(bytes, result.loss);
  for (const auto* values : {&result.gradients, &result.momentum, &result.weights}) {
    for (const auto& [name, numbers] : *values) append(bytes, numbers);
  }
  const std::string digest = sha256(bytes);
  const bool same = world.broadcast(digest, 0) == digest;
  return world.maximum(same ? 0.0 : 1.0) == 0.0;
}

}  // namespace cnnplan::test
