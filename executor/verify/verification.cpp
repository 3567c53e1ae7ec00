// Runs the steps of a verification, and compares their dumps tensor by tensor.
#include "executor/verify/verification.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "executor/comm/program.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "executor/training/training_context.hpp"
#include "executor/verify/blunt_tensor.hpp"
#include "executor/verify/noisy_backend.hpp"
#include "executor/verify/one_rank_work.hpp"
#include "executor/verify/rounded_data.hpp"
#include "executor/verify/rounding.hpp"
#include "executor/verify/step_files.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

using Kind = DumpedTensor::Kind;

// Names the runs on one rank as their files are named.
struct OneRankRun {
  const char* name;
  RoundingRun run;
};
constexpr std::array<OneRankRun, 4> one_rank_runs{{{"exact", RoundingRun::exact},
                                                   {"random", RoundingRun::random},
                                                   {"up", RoundingRun::up},
                                                   {"down", RoundingRun::down}}};

// Limits the products of one operand of a convolution that are computed again.
constexpr double most_products = 2e7;
// A number in double keeps this change, larger or smaller.
constexpr double least_change = 0x1p-52;

TrainingOptions one_step(const TrainingOptions& options, const std::string& dump_file) {
  TrainingOptions step = options;
  step.steps = 1;
  step.epochs = 0;
  step.learning_rate = 0.0;
  step.test_file.clear();
  step.checkpoint_folder.clear();
  step.restart_folder.clear();
  step.gradient_check_period.reset();
  step.checks_finite = false;  // tensors that are not finite are compared, too
  step.dump_file = dump_file;
  return step;
}

// Makes the steps of one rank in double.
class OneRank {
 public:
  OneRank(const Plan& plan, const TrainingOptions& options, const TemporaryFolder& folder)
      : plan_(on_one_rank(plan)), precision_(plan.precision), options_(options), folder_(folder) {
    plan_.precision = Precision::fp64;
    tensors_ = dumped_tensors(plan_, lower(plan_, 0));
  }

  const std::vector<DumpedTensor>& tensors() const { return tensors_; }

  // Dumps one step, and returns the bytes that it needed.
  std::int64_t run(const OneRankRun& run, const Communicator& self) {
    TrainingOptions step = one_step(options_, file(run.name));
    step.backend = "reference";
    step.nccl = false;
    step.loss_scale = loss_scale_of(options_, precision_);
    step.weights_file = file("weights");
    step.hooks = hooks_of(run.run);
    const bool is_exact = run.run == RoundingRun::exact;
    write_first_state(step.weights_file,
                      {.dump = file("plan"),
                       .weights_file = options_.weights_file,
                       .precision = precision_,
                       .change = is_exact ? 0.0 : std::max(sum_rounding(precision_), least_change),
                       .copies = !is_exact && has_weight_copies(precision_)},
                      tensors_);
    return train(plan_, step, self, {}).peak_memory_bytes;
  }
  std::string file(const std::string& name) const { return folder_.file(name + ".h5"); }

 private:
  TrainingHooks hooks_of(RoundingRun run) {
    const RoundingNoise noise{.precision = precision_,
                              .run = run,
                              .seed = static_cast<std::uint64_t>(run) + 1,
                              .levels = &levels_};
    const bool targets = has_targets(plan_.network);
    return {.backend =
                [noise](std::unique_ptr<Backend> made) {
                  return std::make_unique<NoisyBackend>(std::move(made), noise);
                },
            .data =
                [precision = precision_, targets](std::unique_ptr<DataSource> opened) {
                  return std::make_unique<RoundedData>(std::move(opened), precision, targets);
                }};
  }

  Plan plan_;
  Precision precision_;
  const TrainingOptions& options_;
  const TemporaryFolder& folder_;
  std::vector<DumpedTensor> tensors_;
  NoiseLevels levels_;
};

// Returns the element in which a plan of this precision stores the tensor.
ElementType element_of(const DumpedTensor& tensor, Precision precision) {
  if (tensor.kind == Kind::output) return activation_element(precision);
  return tensor.kind == Kind::loss && precision == Precision::fp64 ? ElementType::fp64
                                                                   : parameter_element(precision);
}

TensorRuns read_runs(const OneRank& one, const DumpedTensor& tensor) {
  const auto read = [&](const char* name) {
    return TensorFileReader(one.file(name)).read(tensor.name, tensor.extents);
  };
  TensorRuns runs{.computed = read("plan"), .exact = {}, .rounded = {}};
  for (const OneRankRun& run : one_rank_runs) {
    if (run.run == RoundingRun::exact) {
      runs.exact = read(run.name);
    } else {
      runs.rounded.push_back(read(run.name));
    }
  }
  return runs;
}

void compare(const OneRank& one, Precision precision, Verification& result) {
  std::vector<DumpedTensor> tensors = one.tensors();
  std::erase_if(tensors, [](const DumpedTensor& tensor) { return tensor.kind == Kind::weight; });
  for (const DumpedTensor& tensor : tensors) {
    give_sign_of_progress();
    result.tensors.push_back(
        compare_tensor(tensor.name, read_runs(one, tensor), element_of(tensor, precision)));
  }
  result.blunt = blunt_tensor(tensors, result.tensors, precision);
  std::stable_sort(
      result.tensors.begin(),
      result.tensors.end(),
      [](const TensorComparison& a, const TensorComparison& b) { return a.excess() > b.excess(); });
}

// Returns the ids of the operations of a rank that run kernels.
std::vector<std::string> kernel_operations(const Plan& plan, int rank) {
  std::vector<std::string> ids;
  for (const Operation& operation : lower(plan, rank).operations) {
    if (std::holds_alternative<KernelOperation>(operation.body)) ids.push_back(operation.id);
  }
  return ids;
}

// Finds the worst kernel of all ranks. It is collective.
KernelChecks checks_of_all_ranks(const KernelFindings& own, const Communicator& world) {
  std::vector<double> counts{static_cast<double>(own.checked()),
                             static_cast<double>(own.results())};
  world.allreduce(std::span(counts), AllreduceAlgorithm::library);
  KernelChecks all{.checked = counts[0], .results = counts[1]};
  all.worst.excess = world.maximum(own.worst().excess);
  const bool is_here = own.worst().excess == all.worst.excess;
  all.rank = static_cast<int>(world.maximum(is_here ? world.rank() : -1.0));
  all.worst.operation = world.broadcast(own.worst().operation, all.rank);
  const bool is_worst = all.rank == world.rank();
  all.worst.error = world.maximum(is_worst ? own.worst().error : 0.0);
  all.worst.limit = world.maximum(is_worst ? own.worst().limit : 0.0);
  return all;
}

// Runs one step of the plan with checks of its kernels. It is collective.
KernelChecks check_kernels(const Plan& plan,
                           const TrainingOptions& options,
                           const Communicator& world,
                           const TrainingCallbacks& callbacks) {
  KernelFindings findings(kernel_operations(plan, world.rank()));
  TrainingOptions checked = options;
  checked.graphs = Graphs::off;
  checked.dump_file.clear();
  checked.hooks.backend = [&](std::unique_ptr<Backend> made) {
    if (options.hooks.backend) made = options.hooks.backend(std::move(made));
    return std::make_unique<CheckedBackend>(std::move(made), findings, most_products);
  };
  train(plan, checked, world, callbacks);
  return checks_of_all_ranks(findings, world);
}

}  // namespace

std::string Verification::infinite_tensor() const {
  for (const TensorComparison& tensor : tensors) {
    if (!std::isfinite(tensor.norm)) return tensor.name;
  }
  return {};
}

Verdict Verification::verdict() const {
  const bool is_finite = infinite_tensor().empty();
  const double of_tensors = tensors.empty() ? 0.0 : tensors.front().excess();
  const double of_kernels = kernels.worst.excess;
  // Right kernels, too, have an infinite excess where their inputs are not finite.
  const bool is_known = is_finite || std::isfinite(of_kernels);
  if (of_tensors > certain_excess) return Verdict::different;
  if (is_known && !(of_kernels <= certain_excess)) return Verdict::different;
  const bool is_within = of_tensors <= 1.0 && of_kernels <= 1.0;
  return is_within && is_finite && blunt.empty() ? Verdict::equal : Verdict::too_sensitive;
}

Plan verified_plan(const Plan& plan, const std::function<void(const std::string& text)>& note) {
  Plan verified = plan;
  verified.multigrid.clear();
  if (!plan.multigrid.empty() && note) {
    note(
        "--verify runs the layers of chains in order; --check-gradient tells how far multigrid is "
        "from that");
  }
  bool changes = false;
  for (const LayerIndex i : plan.network.layers().indices()) {
    LayerPlan& layer = verified.layers[i];
    if (!std::holds_alternative<BatchNorm>(plan.network.layer(i).parameters)) continue;
    changes = changes || layer.statistics != BatchNormStatistics::global;
    layer.statistics = BatchNormStatistics::global;
  }
  if (changes && plan.ranks > 1 && note) {
    note("--verify lets batch norms normalise over all ranks, as one rank does");
  }
  return verified;
}

Verification verify(const Plan& plan,
                    const TrainingOptions& options,
                    const Communicator& world,
                    const TrainingCallbacks& callbacks) {
  const TemporaryFolder folder(world);
  const Plan verified = verified_plan(plan, world.rank() == 0 ? callbacks.note : nullptr);
  const TrainingCallbacks quiet{.placed = callbacks.placed, .note = callbacks.note};
  const TrainingOptions step = one_step(options, folder.file("plan.h5"));
  on_first_rank(world, [&] {
    if (callbacks.note) callbacks.note(work_of_one_rank(verified));
  });
  Verification result;
  result.kernels = check_kernels(plan, step, world, quiet);
  train(verified, step, world, {});  // unchecked, since checks wait for each kernel
  const Communicator self = Communicator::group(world, {world.rank()});
  on_first_rank(world, [&] {
    const auto begin = std::chrono::steady_clock::now();
    OneRank one(verified, options, folder);
    for (const OneRankRun& run : one_rank_runs) {
      result.memory_bytes = std::max(result.memory_bytes, one.run(run, self));
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    compare(one, plan.precision, result);
  });
  return result;
}

}  // namespace cnnplan
