// Ranks, devices and libraries are what the plan was made for.
#include "executor/training/setup.hpp"

#include "executor/comm/nodes.hpp"
#include "executor/training/parameter_file.hpp"
#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

// A processor does one thing after the other.
void require_overlap(const Plan& plan, Backend& backend) {
  if (!plan.overlap || !backend.device().is_host()) return;
  throw EnvironmentError(
      "the plan overlaps communication with kernels (\"overlap\"), which backend \"" +
      backend.fingerprint().backend + "\" does not");
}

}  // namespace

void check_ranks(const Plan& plan, const Communicator& world) {
  if (plan.ranks == world.size()) return;
  throw EnvironmentError("the plan is for " + std::to_string(plan.ranks) +
                         " ranks, but this program runs on " + std::to_string(world.size()) +
                         ": start it with mpirun -n " + std::to_string(plan.ranks));
}

std::unique_ptr<Backend> backend_for(const Plan& plan,
                                     const TrainingOptions& options,
                                     const Communicator& world) {
  std::unique_ptr<Backend> backend =
      make_backend(options.backend,
                   {.local_rank = find_nodes(world).rank_here,
                    .deterministic = options.deterministic,
                    .most_workspace_bytes = options.most_workspace_bytes});
  require_precision(*backend, plan.precision);
  require_overlap(plan, *backend);
  return backend;
}

Plan without_foreign_names(const Plan& plan,
                           const DeviceFingerprint& fingerprint,
                           const std::function<void(const std::string& text)>& note) {
  const std::string library = "; " + fingerprint.backend + " (" + fingerprint.library + ")";
  const bool is_own = plan.device.find(library) != std::string::npos;
  Plan runnable = plan;
  if (is_own || plan.implementations.empty()) return runnable;
  runnable.implementations.clear();
  if (note) {
    note("the plan names implementations of another library (\"" + plan.device +
         "\"); this one chooses its own, and the prediction does not hold for them");
  }
  return runnable;
}

void set_first_weights(ParameterStore& parameters,
                       const Network& network,
                       const TrainingOptions& options) {
  if (options.weights_file.empty()) {
    initialize(parameters, network, options.seed);
  } else {
    load_parameters(options.weights_file, network, parameters);
  }
}

void tell_places(const Device& device,
                 const Communicator& world,
                 const TrainingCallbacks& callbacks) {
  const auto hosts = world.gather(host_name(), 0);
  const auto places = world.gather(device.place(), 0);
  const auto names = world.gather(device.name(), 0);
  std::vector<RankPlace> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    ranks.push_back({hosts[rank], places[rank], names[rank]});
  }
  if (callbacks.placed && world.rank() == 0) callbacks.placed(ranks);
}

}  // namespace cnnplan
