// Measures what the check of each step and the comparison of replicas cost, on the ranks of a plan.
//
// usage: mpirun -n RANKS step_check_cost PLAN PAIRS
//
// Steps with and without the check take turns in one process. Rank 0 prints their times as JSON.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/agreement/finite_step.hpp"
#include "executor/agreement/replica_check.hpp"
#include "executor/comm/program.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/step/step_runner.hpp"
#include "executor/training/run_setup.hpp"
#include "executor/training/trainer.hpp"
#include "executor/training/training_context.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

constexpr int warmup_steps = 4;
constexpr int comparisons = 5;

// Returns the seconds of the slowest rank. It is collective.
template <typename Work>
double seconds_of(const Work& work, const Communicator& world) {
  using Clock = std::chrono::steady_clock;
  world.barrier();
  const Clock::time_point begin = Clock::now();
  work();
  return world.maximum(std::chrono::duration<double>(Clock::now() - begin).count());
}

void print_list(const char* name, const std::vector<double>& values_s, const char* end) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values_s.size(); ++i) {
    std::printf("%s%.9f", i == 0 ? "" : ", ", values_s[i]);
  }
  std::printf("]%s", end);
}

struct Times {
  std::vector<double> with_s;     // of steps with the check
  std::vector<double> without_s;  // of steps without it, each next to the step of `with_s`
  std::vector<double> alone_s;    // of the check between steps
  std::vector<double> compare_s;  // of the comparison of replicas
};

void print(const Times& times) {
  std::printf("{");
  print_list("with_s", times.with_s, ", ");
  print_list("without_s", times.without_s, ", ");
  print_list("alone_s", times.alone_s, ", ");
  print_list("compare_s", times.compare_s, "}\n");
}

// Runs steps of a plan on made-up data, each with the check or without it.
class CheckedSteps {
 public:
  CheckedSteps(Plan plan, std::unique_ptr<Backend> backend, const Communicator& world)
      : world_(world),
        plan_(std::move(plan)),
        backend_(std::move(backend)),
        schedule_(lower(plan_, world.rank())),
        data_(batch_shape(plan_.network, plan_.batch, plan_.precision), options_.seed),
        parameters_(schedule_, plan_.network, plan_.precision, *backend_),
        groups_(world) {
    backend_->prepare_thread();
    set_first_weights(parameters_, plan_.network, options_, world_);
    runner_.emplace(schedule_, context());
  }

  double step_s(bool checks) {
    checks_ = checks;
    const StepState state = state_of(step_++, options_, plan_.precision);
    return seconds_of([&] { runner_->run(state, Timing::step); }, world_);
  }
  double check_s() {
    return seconds_of([this] { check(runner_->loss()); }, world_);
  }
  double compare_s() {
    const Replicas replicas{
        .plan = plan_, .schedule = schedule_, .store = parameters_, .groups = groups_};
    return seconds_of([&] { require_equal_replicas(replicas, step_); }, world_);
  }

 private:
  void check(double loss) const { require_finite_step(loss, schedule_, parameters_, world_); }

  StepContext context() {
    return {.backend = backend_.get(),
            .parameters = &parameters_,
            .groups = &groups_,
            .data = &data_,
            .states = nullptr,
            .in_place_of_communication = {},
            .before_updates =
                [this](double loss) {
                  if (checks_) check(loss);
                },
            .overlap = plan_.overlap};
  }

  const Communicator& world_;
  TrainingOptions options_;
  Plan plan_;
  std::unique_ptr<Backend> backend_;
  Schedule schedule_;
  SyntheticData data_;
  ParameterStore parameters_;
  Groups groups_;
  std::optional<StepRunner> runner_;
  std::int64_t step_ = 0;
  bool checks_ = true;
};

// The order within a pair changes from pair to pair, so that a drift favours neither.
Times measure(CheckedSteps& steps, int pairs) {
  for (int i = 0; i < warmup_steps; ++i) steps.step_s(true);
  Times times;
  for (int i = 0; i < pairs; ++i) {
    for (const bool checks : {i % 2 == 0, i % 2 != 0}) {
      (checks ? times.with_s : times.without_s).push_back(steps.step_s(checks));
    }
    times.alone_s.push_back(steps.check_s());
  }
  for (int i = 0; i < comparisons; ++i) times.compare_s.push_back(steps.compare_s());
  return times;
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  using namespace cnnplan;
  if (argc != 3 || std::atoi(argv[2]) < 1) {
    std::fputs("usage: mpirun -n RANKS step_check_cost PLAN PAIRS\n", stderr);
    return 2;
  }
  const std::string file = argv[1];
  const int pairs = std::atoi(argv[2]);
  const auto body = [&](const Communicator& world) {
    const Plan given = parse_plan(read_shared_file(world, file), file);
    check_ranks(given, world);
    std::unique_ptr<Backend> backend = backend_for(given, {}, world);
    const Plan plan = without_foreign_names(given, backend->fingerprint(), nullptr);
    CheckedSteps steps(plan, std::move(backend), world);
    const Times times = measure(steps, pairs);
    if (world.rank() == 0) print(times);
  };
  return run_program("step_check_cost", default_comm_timeout_s, argc, argv, body);
}
