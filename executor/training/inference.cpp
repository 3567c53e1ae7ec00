// Runs forward passes as the plan distributes them; rank 0 writes the outputs.
#include "executor/training/inference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "executor/comm/node_memory.hpp"
#include "executor/comm/program.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "executor/step/bound_cores.hpp"
#include "executor/step/output.hpp"
#include "executor/step/step_runner.hpp"
#include "executor/training/run_setup.hpp"
#include "executor/training/stop_signals.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

std::unique_ptr<DataSource> open_data(const Plan& plan,
                                      const Schedule& schedule,
                                      const TrainingOptions& options,
                                      const Communicator& world,
                                      const Device& device) {
  const BatchShape shape = batch_shape(plan.network, plan.batch, plan.precision);
  if (options.data_file.empty()) return std::make_unique<SyntheticData>(shape, options.seed);
  return open_in_order(options.data_file,
                       shape,
                       world,
                       Labels::without,
                       options.augmentation,
                       prefetch_threads(schedule, world, device));
}

// Writes the outputs of all samples, one mini-batch at a time. Only rank 0 has one.
class OutputWriter {
 public:
  // @throws IoError
  OutputWriter(const std::string& file, const InferenceReport& report, const Plan& plan)
      : file_(file),
        tensor_(report.tensor),
        extents_(stored_extents(plan.network.output_shape(output_layer(plan.network), 1))) {
    extents_.front() = report.samples;
    dataset_.emplace(file_.create(tensor_, extents_, plan.precision));
  }

  // Writes the next `count` samples, which are the first in `values`.
  void write(std::int64_t count, std::span<const double> values) {
    Selection block{.start = std::vector<std::int64_t>(extents_.size()), .count = extents_};
    block.start.front() = written_;
    block.count.front() = count;
    const std::size_t elements = element_count(block.count);
    require_finite(values.first(elements), count);
    dataset_->write(block, values.first(elements));
    written_ += count;
  }

  void finish() {
    dataset_->close();
    file_.finish();
  }

 private:
  void require_finite(std::span<const double> values, std::int64_t count) const {
    const auto found =
        std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (found == values.end()) return;
    const auto per_sample = std::ssize(values) / count;
    throw NotFiniteError(tensor_ + " of sample " +
                         std::to_string(written_ + (found - values.begin()) / per_sample) +
                         " is not finite");
  }

  TensorFileWriter file_;
  std::string tensor_;
  std::vector<std::int64_t> extents_;
  std::optional<Hdf5Dataset> dataset_;
  std::int64_t written_ = 0;  // counts samples
};

// Leaves out the first time, since the first pass finds memory and caches cold.
Statistics without_first(std::span<const double> times_s) {
  return summarize(times_s.size() > 1 ? times_s.subspan(1) : times_s);
}

// Borrows what a pass over the data works on.
struct Work {
  const Plan& plan;
  const Schedule& schedule;
  StepRunner& runner;
  DataSource& data;
  const Communicator& world;
  const TrainingCallbacks& callbacks;
};

// Refuses outputs that MPI cannot gather, before anything is allocated.
// @throws InfeasibleError
void require_gatherable(const Plan& plan) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (gathered_bytes(plan) <= most) return;
  throw InfeasibleError(
      "rank 0 gathers the outputs of a mini-batch, which is too large", gathered_bytes(plan), most);
}

InferenceReport write_outputs(const Work& work, const std::string& file) {
  const auto& [plan, schedule, runner, data, world, callbacks] = work;
  const Layer& layer = plan.network.layer(output_layer(plan.network));
  InferenceReport report{.tensor = tensor_name(layer.name, "output"),
                         .samples = data.sample_count()};
  std::optional<OutputWriter> writer;  // on rank 0
  on_first_rank(world, [&] { writer.emplace(file, report, work.plan); });
  const std::int64_t steps = data.step_count();
  std::vector<double> times_s;
  for (std::int64_t step = 0; step < steps; ++step) {
    runner.run({.step = step, .training = false}, Timing::step);
    times_s.push_back(world.maximum(runner.step_time_s()));
    const std::vector<double> values = gather_output(plan, schedule, runner.memory(), world);
    on_first_rank(world, [&] { writer->write(work.data.valid_count(step), values); });
    if (!callbacks.progress || world.rank() != 0) continue;
    callbacks.progress({.step = step + 1, .steps = steps, .loss = {}, .step_s = times_s.back()});
  }
  on_first_rank(world, [&] { writer->finish(); });
  report.step = without_first(times_s);
  report.predicted_s = plan.prediction.inference_s;
  return report;
}

}  // namespace

InferenceReport infer(const Plan& given,
                      const TrainingOptions& options,
                      const std::string& file,
                      const Communicator& world,
                      const TrainingCallbacks& callbacks) {
  check_ranks(given, world);
  require_gatherable(given);
  const StopSignals signals(StopSignals::Answer::tell_and_end_inference);
  const std::unique_ptr<Backend> backend = backend_for(given, options, world);
  const auto note = world.rank() == 0 ? callbacks.note : nullptr;
  const Plan plan = without_foreign_names(given, backend->fingerprint(), note);
  const Schedule schedule = lower(plan, world.rank(), {.pass = Pass::inference});
  MemoryUse memory = memory_of(schedule, {.device = kind_of(backend->device())});
  memory.process_bytes = plan.prediction.memory.process_bytes;
  const std::int64_t ahead_bytes = options.data_file.empty() ? 0 : sample_bytes(schedule);
  require_memory(memory.total_bytes() + ahead_bytes, plan.network.name(), world, backend->device());
  backend->prepare_thread();
  tell_places(backend->device(), world, callbacks);
  tell_apart(plan, world, note);
  tell_few_cores(schedule, backend->device(), note);
  const std::unique_ptr<DataSource> data =
      open_data(plan, schedule, options, world, backend->device());
  ParameterStore parameters(schedule, plan.network, plan.precision, *backend);
  set_first_weights(parameters, plan.network, options, world);
  Groups groups(world, options.nccl);
  StepRunner runner(schedule,
                    {.backend = backend.get(),
                     .parameters = &parameters,
                     .groups = &groups,
                     .data = data.get(),
                     .in_place_of_communication = {},
                     .loads_ahead = [&](std::int64_t step) { return step < data->step_count(); }});
  const bool in_turns = tell_turns(backend->device(), world, callbacks);
  InferenceReport report = write_outputs({plan, schedule, runner, *data, world, callbacks}, file);
  report.in_turns = in_turns;
  return report;
}

}  // namespace cnnplan
