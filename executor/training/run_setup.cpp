// Checks that ranks, device and library suit the plan, and prepares weights and data.
#include "executor/training/run_setup.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <thread>

#include "executor/agreement/equal_facts.hpp"
#include "executor/checkpoint/parameter_file.hpp"
#include "executor/comm/node_memory.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/program.hpp"
#include "executor/data/prefetched_data.hpp"
#include "executor/launch/node_places.hpp"
#include "executor/launch/start_words.hpp"
#include "executor/step/bound_cores.hpp"
#include "planner/base/error.hpp"
#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

// A processor runs kernels and communication one after the other.
void require_overlap(const Plan& plan, Backend& backend) {
  if (!plan.overlap || !backend.device().is_host()) return;
  throw EnvironmentError(
      "the plan overlaps communication with kernels (\"overlap\"), which backend \"" +
      backend.fingerprint().backend + "\" does not");
}

// Returns how many cores a rank's kernels keep busy: the cores it is bound to, or fewer where
// OMP_NUM_THREADS says so.
int computing_cores() {
  const int bound = bound_cores();
  const char* const told = std::getenv("OMP_NUM_THREADS");
  const int threads = told == nullptr ? 0 : std::atoi(told);
  return threads > 0 ? std::min(bound, threads) : bound;
}

}  // namespace

void check_ranks(const Plan& plan, const Communicator& world) {
  if (plan.ranks == world.size()) return;
  throw EnvironmentError("the plan is for " + std::to_string(plan.ranks) +
                         " ranks, but this program runs on " + std::to_string(world.size()) +
                         ": start it with" + std::string(command_line) +
                         start_words(plan.ranks, launch_environment()));
}

std::unique_ptr<Backend> backend_for(const Plan& plan,
                                     const TrainingOptions& options,
                                     const Communicator& world) {
  std::unique_ptr<Backend> backend =
      make_backend(options.backend,
                   {.local_rank = find_nodes(world).rank_here,
                    .deterministic = options.deterministic,
                    .engine_trials = options.engine_trials,
                    .most_workspace_bytes = options.most_workspace_bytes,
                    .clock_warmup_s = usual_clock_warmup_s});
  const DeviceFingerprint fingerprint = backend->fingerprint();
  require_equal_facts({{"the library of the kernels", fingerprint.library}}, world);
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
                       const TrainingOptions& options,
                       const Communicator& world) {
  on_every_rank(world, [&] {
    if (options.weights_file.empty()) {
      initialize(parameters, network, options.seed);
    } else {
      load_parameters(options.weights_file, network, parameters);
    }
  });
}

std::int64_t sample_bytes(const Schedule& schedule) {
  const Buffer& data = schedule.buffers[schedule.data];
  return volume(schedule.data_box) * bytes_of(data.element);
}

int prefetch_threads(const Schedule& schedule, const Communicator& world, const Device& device) {
  constexpr std::int64_t most = 8;
  constexpr std::int64_t most_bytes = std::int64_t{2} << 30;
  const std::int64_t bytes = std::max<std::int64_t>(1, sample_bytes(schedule));
  const auto fitting = std::min(most, most_bytes / bytes);
  const int cores = std::thread::hardware_concurrency();
  const int lanes = std::min(bound_cores(), schedule.lanes);
  const int computing = device.is_host() ? std::max(computing_cores(), lanes) : 1;
  const int spare = std::max(0, cores / find_nodes(world).ranks_here - computing);
  return std::min(std::max(1, static_cast<int>(fitting)), spare);
}

std::unique_ptr<DataSource> open_in_order(const std::string& file,
                                          const BatchShape& batch,
                                          const Communicator& world,
                                          Labels labels,
                                          const Augmentation& augmentation,
                                          int threads) {
  const SampleOrder order{.shuffled = false};
  auto data = std::make_unique<Hdf5Data>(file, batch, order, world, labels, augmentation);
  if (threads == 0) return data;
  const PrefetchLimits limits{.end = data->step_count(), .threads = threads};
  return std::make_unique<PrefetchedData>(std::move(data), batch, limits);
}

bool tell_turns(const Device& device,
                const Communicator& world,
                const TrainingCallbacks& callbacks) {
  const bool takes_turns = take_turns(world, device);
  if (takes_turns && callbacks.note && world.rank() == 0) {
    callbacks.note(
        "ranks share a GPU without MPS and take turns on it, so times say nothing about its speed; "
        "give each rank a GPU, or start nvidia-cuda-mps-control -d");
  }
  return takes_turns;
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

void tell_apart(const Plan& plan,
                const Communicator& world,
                const std::function<void(const std::string& text)>& note) {
  const int own = find_nodes(world).first_rank;
  const auto numbers = world.gather(std::span(&own, 1), 0);
  const auto hosts = world.gather(host_name(), 0);
  if (world.rank() != 0 || !note) return;
  std::vector<RankNode> nodes;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    nodes.push_back({.node = numbers[rank].front(), .host = hosts[rank]});
  }
  const std::string text = apart_text(plan, nodes, launch_environment());
  if (!text.empty()) note(text);
}

}  // namespace cnnplan
