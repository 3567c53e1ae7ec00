// Passes over a schedule, and summarises the times of kernels over ranks.
#include "profiler/kernel_walk.hpp"

#include <algorithm>
#include <string>

#include "executor/data/synthetic_data.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/run/statistics.hpp"
#include "profiler/event_cost.hpp"

namespace cnnplan {
namespace {

constexpr double least_warmup_s = 0.1;
// A pass counts as at least this long, so a rank that owns next to nothing warms up in 100 passes.
constexpr double least_pass_s = 1e-3;
constexpr std::uint64_t seed = 1;
// A GPU raises its clocks while it works. It is warm when three passes take equally long.
constexpr std::size_t steady_passes = 3;
constexpr double steady_spread = 0.03;
constexpr std::size_t most_warmup_passes = 50;

bool is_steady(std::span<const double> passes_s) {
  if (passes_s.size() < steady_passes) return false;
  const auto last = passes_s.last(steady_passes);
  const auto [least, most] = std::minmax_element(last.begin(), last.end());
  return *most <= (1.0 + steady_spread) * *least;
}

// Returns null for an operation that is no kernel, or has no work to do.
const KernelOperation* timed_kernel(const Operation& operation) {
  const auto* kernel = std::get_if<KernelOperation>(&operation.body);
  return kernel != nullptr && volume(kernel->spec.out) > 0 ? kernel : nullptr;
}

// Returns the kernel as above, but null also for a kernel that was left out.
const KernelOperation* timed_kernel(const Schedule& schedule,
                                    const StepRunner& runner,
                                    OperationIndex operation) {
  return runner.runs(operation) ? timed_kernel(schedule.operations[operation]) : nullptr;
}

void add_pass(const Schedule& schedule, const StepRunner& runner, KernelSamples& samples) {
  std::map<KernelSpec, std::vector<double>> occurrences;
  for (const OperationIndex i : schedule.operations.indices()) {
    if (const KernelOperation* kernel = timed_kernel(schedule, runner, i)) {
      occurrences[canonical(kernel->spec)].push_back(runner.operation_times_s()[i]);
    }
  }
  for (const auto& [spec, times] : occurrences) {
    samples.seconds[spec].push_back(mean(times));
    std::vector<double>& all = samples.occurrences_s[spec];
    all.insert(all.end(), times.begin(), times.end());
  }
}

void add_properties(const Schedule& schedule, const StepRunner& runner, KernelSamples& samples) {
  for (const OperationIndex i : schedule.operations.indices()) {
    if (const KernelOperation* kernel = timed_kernel(schedule, runner, i)) {
      samples.properties[canonical(kernel->spec)] = {.workspace_bytes = runner.workspace_bytes(i),
                                                     .implementation = runner.implementation(i)};
    }
  }
}

std::span<const double> samples_of(const std::map<KernelSpec, std::vector<double>>& samples,
                                   const KernelSpec& spec) {
  const auto found = samples.find(spec);
  return found == samples.end() ? std::span<const double>() : std::span(found->second);
}

// Returns the standard deviation between the ranks that ran a kernel most often, at the same time.
// `own_s` holds this rank's times one by one. It is collective.
double rank_spread_s(std::span<const double> own_s, const Communicator& world) {
  const auto most = static_cast<std::size_t>(world.maximum(static_cast<double>(own_s.size())));
  const bool is_one = own_s.size() == most;
  const std::vector<double> all = world.all_gather(is_one ? own_s : std::span<const double>());
  return all.empty() ? 0.0 : spread_between(all, static_cast<int>(all.size() / most));
}

// Returns the implementation of the first rank that has one. It is collective.
std::string first_implementation(const std::string& own, const Communicator& world) {
  const std::vector<std::string> all = world.gather(own, 0);
  const auto found =
      std::find_if(all.begin(), all.end(), [](const std::string& name) { return !name.empty(); });
  return world.broadcast(found == all.end() ? "" : *found, 0);
}

// Returns the largest workspace of the ranks that have this implementation. Ranks of a training
// usually have it: a GPU runs what the plan names, and equal CPUs choose alike. It is collective.
std::int64_t workspace_of(const std::string& implementation,
                          const KernelTiming& own,
                          const Communicator& world) {
  const bool counts = own.implementation == implementation;
  return static_cast<std::int64_t>(
      world.maximum(counts ? static_cast<double>(own.workspace_bytes) : 0.0));
}

}  // namespace

std::set<KernelSpec> kernels_of(const Schedule& schedule) {
  std::set<KernelSpec> kernels;
  for (const Operation& operation : schedule.operations) {
    if (const KernelOperation* kernel = timed_kernel(operation)) {
      kernels.insert(canonical(kernel->spec));
    }
  }
  return kernels;
}

std::set<std::string> common_communication(std::span<const Schedule> schedules) {
  std::map<std::string, std::size_t> counts;
  for (const Schedule& schedule : schedules) {
    for (const Operation& operation : schedule.operations) {
      if (is_communication(operation)) ++counts[operation.id];
    }
  }
  std::set<std::string> common;
  for (const auto& [id, count] : counts) {
    if (count == schedules.size()) common.insert(id);
  }
  return common;
}

namespace {

void warm_up(const StepRunner& runner,
             const Device& device,
             const Communicator& world,
             const WalkOptions& options,
             const std::function<void()>& pass,
             const WalkCallbacks& callbacks) {
  std::vector<double> passes_s;
  double warm_s = 0.0;
  const auto is_warm = [&] {
    const bool steady =
        device.is_host() || passes_s.size() >= most_warmup_passes || is_steady(passes_s);
    return std::ssize(passes_s) >= options.warmup && warm_s >= least_warmup_s && steady;
  };
  while (!is_warm()) {
    pass();
    passes_s.push_back(world.maximum(runner.step_time_s()));
    warm_s += std::max(passes_s.back(), least_pass_s);
    if (std::ssize(passes_s) <= options.warmup) callbacks.after_pass();
  }
}

void tell(const WalkCallbacks& callbacks, const std::string& text) {
  if (callbacks.note) callbacks.note(text);
}

void tell_of_graphs(const StepRunner& runner, const WalkCallbacks& callbacks) {
  if (runner.graphs().why_none().empty()) return;
  tell(callbacks,
       "kernels start one by one, so the times of short ones hold the time of their start, since "
       "they cannot be captured as a graph: " +
           runner.graphs().why_none());
}

// Runs the timed passes. On a GPU, each of them is followed by a pass without events, whose time is
// taken out of the samples. `pass` returns the seconds of one pass.
KernelSamples timed_samples(const Schedule& schedule,
                            const StepRunner& runner,
                            bool has_events,
                            const WalkOptions& options,
                            const std::function<double(Timing)>& pass,
                            const WalkCallbacks& callbacks) {
  if (has_events) pass(Timing::step);  // captures graphs
  KernelSamples samples;
  add_properties(schedule, runner, samples);
  std::vector<double> with_events_s;
  std::vector<double> without_events_s;
  for (int passes = 0; passes < options.repetitions; ++passes) {
    with_events_s.push_back(pass(Timing::operations));
    add_pass(schedule, runner, samples);
    if (has_events) without_events_s.push_back(pass(Timing::step));
    callbacks.after_pass();
  }
  if (has_events) {
    subtract_event(
        samples,
        seconds_per_event(with_events_s, without_events_s, runner.graphs().added_events()));
  }
  return samples;
}

}  // namespace

KernelSamples walk_kernels(const Walk& walk,
                           Backend& backend,
                           const Communicator& world,
                           const WalkOptions& options,
                           const WalkCallbacks& callbacks) {
  const Schedule& schedule = walk.schedule;
  ParameterStore parameters(schedule, walk.plan.network, walk.plan.precision, backend);
  initialize(parameters, walk.plan.network, seed);
  SyntheticData data(batch_shape(walk.plan.network, walk.plan.batch, walk.plan.precision), seed);
  Groups groups(world);
  StepRunner runner(
      schedule,
      {.backend = &backend,
       .parameters = &parameters,
       .groups = world.size() == walk.plan.ranks ? &groups : nullptr,
       .data = &data,
       .in_place_of_communication =
           [&walk, &world](const std::string& id) {
             if (walk.meetings.contains(id)) world.barrier();
           },
       .replicas_agree = false,  // A profile holds for all plans, so it takes the fastest.
       .graphs = Graphs::preferred,
       .left_out =
           [&callbacks](const KernelSpec& spec, const std::string& why) {
             tell(callbacks, to_text(spec) + " fails and is left out: " + why);
           }});
  const auto pass = [&](Timing timing) {
    world.barrier();
    // The weights stay as they are, so no number grows beyond bounds.
    runner.run({.learning_rate = 0.0}, timing);
    return runner.step_time_s();
  };
  const auto timed_pass = [&] { return pass(Timing::operations); };
  warm_up(runner, backend.device(), world, options, timed_pass, callbacks);
  const bool has_events = !backend.device().is_host();  // whose time counts
  KernelSamples samples = timed_samples(schedule, runner, has_events, options, pass, callbacks);
  tell_of_graphs(runner, callbacks);
  return samples;
}

void record(Profile& profile,
            const KernelSamples& samples,
            const std::set<KernelSpec>& wanted,
            const Communicator& world) {
  for (const KernelSpec& spec : wanted) {
    const std::vector<double> all = world.all_gather(samples_of(samples.seconds, spec));
    if (all.empty()) continue;
    const double spread_s = rank_spread_s(samples_of(samples.occurrences_s, spec), world);
    const auto properties = samples.properties.find(spec);
    const KernelTiming here =
        properties == samples.properties.end() ? KernelTiming{} : properties->second;
    const Statistics times = summarize(all);
    const std::string implementation = first_implementation(here.implementation, world);
    profile.kernels.emplace(
        spec,
        KernelTiming{.repetitions = times.count,
                     .median_s = times.median_s,
                     .mean_s = times.mean_s,
                     .stddev_s = times.stddev_s,
                     .min_s = times.min_s,
                     .rank_spread_s = spread_s,
                     .workspace_bytes = workspace_of(implementation, here, world),
                     .implementation = implementation});
  }
}

}  // namespace cnnplan
