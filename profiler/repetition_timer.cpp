// The number of repetitions is agreed on by all ranks before the first of them.
#include "profiler/repetition_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace cnnplan {
namespace {

constexpr int warm_up_samples = 3;
constexpr double most_runs_per_sample = 10'000;

struct Repetitions {
  int count = 0;
  int runs_per_sample = 1;
};

// Seconds per run, of the slowest rank.
double sample_s(const Communicator& group, int runs, const TimedBody& body) {
  if (body.prepare) body.prepare();
  group.barrier();
  const double begin_s = now_s();
  for (int run = 0; run < runs; ++run) body.run();
  return group.maximum(now_s() - begin_s) / runs;
}

// The fastest of some, so that one disturbance does not cut the repetitions short.
double warm_up_s(const Communicator& group, int runs, const TimedBody& body) {
  double fastest_s = sample_s(group, runs, body);
  for (int i = 1; i < warm_up_samples; ++i) {
    fastest_s = std::min(fastest_s, sample_s(group, runs, body));
  }
  return std::max(fastest_s, std::numeric_limits<double>::min());
}

Repetitions plan_repetitions(const Communicator& group,
                             const RepetitionOptions& options,
                             const TimedBody& body) {
  const double first_s = warm_up_s(group, 1, body);
  const double runs = std::clamp(std::ceil(options.sample_s / first_s), 1.0, most_runs_per_sample);
  const double run_s = warm_up_s(group, static_cast<int>(runs), body);
  const double count = std::clamp(options.budget_s / (run_s * runs),
                                  static_cast<double>(options.least_repetitions),
                                  static_cast<double>(options.most_repetitions));
  return {.count = static_cast<int>(count), .runs_per_sample = static_cast<int>(runs)};
}

}  // namespace

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TimeStatistics time_repeatedly(const Communicator& group,
                               const RepetitionOptions& options,
                               const std::function<void()>& body) {
  return time_interleaved(group, options, {{.run = body, .prepare = {}}}).front();
}

std::vector<TimeStatistics> time_interleaved(const Communicator& group,
                                             const RepetitionOptions& options,
                                             const std::vector<TimedBody>& bodies) {
  std::vector<Repetitions> plans;
  int rounds = 0;
  for (const TimedBody& body : bodies) {
    plans.push_back(plan_repetitions(group, options, body));
    rounds = std::max(rounds, plans.back().count);
  }
  std::vector<std::vector<double>> values_s(bodies.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      values_s[i].push_back(sample_s(group, plans[i].runs_per_sample, bodies[i]));
    }
  }
  std::vector<TimeStatistics> statistics;
  for (auto& values : values_s) statistics.push_back(summarize(std::move(values)));
  return statistics;
}

}  // namespace cnnplan
