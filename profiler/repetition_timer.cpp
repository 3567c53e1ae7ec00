// Lets all ranks agree on the number of repetitions, and then times them.
#include "profiler/repetition_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace cnnplan {
namespace {

constexpr int warm_up_samples = 3;
constexpr double most_runs_per_sample = 10'000;

struct Repetitions {
  int count = 0;
  int runs_per_sample = 1;
  double sample_s = 0.0;
};

// Times one body, run a number of times, on all ranks of a group at once.
class Sampler {
 public:
  Sampler(const Communicator& group, const RepetitionOptions& options)
      : group_(group), options_(options) {}

  // Returns the seconds per run on the slowest rank.
  double sample_s(int runs, const TimedBody& body) const {
    if (body.prepare) body.prepare();
    group_.barrier();
    const double begin_s = options_.clock_s();
    for (int run = 0; run < runs; ++run) body.run();
    return group_.maximum(options_.clock_s() - begin_s) / runs;
  }

  // Returns the fastest of several samples, so that one disturbance does not reduce the
  // repetitions. One sample is enough where several would take too much of the time.
  double warm_up_s(int runs, const TimedBody& body) const {
    double fastest_s = sample_s(runs, body);
    for (int i = 1; i < warm_up_samples; ++i) {
      if (fastest_s * runs * warm_up_samples > options_.most_s) break;
      fastest_s = std::min(fastest_s, sample_s(runs, body));
    }
    return std::max(fastest_s, std::numeric_limits<double>::min());
  }

  Repetitions plan(const TimedBody& body) const;

 private:
  const Communicator& group_;
  const RepetitionOptions& options_;
};

Repetitions Sampler::plan(const TimedBody& body) const {
  const double first_s = warm_up_s(1, body);
  const double runs = std::clamp(std::ceil(options_.sample_s / first_s), 1.0, most_runs_per_sample);
  const double run_s = runs > 1.0 ? warm_up_s(static_cast<int>(runs), body) : first_s;
  const double count = std::clamp<double>(
      options_.budget_s / (run_s * runs), options_.least_repetitions, options_.most_repetitions);
  return {.count = static_cast<int>(count),
          .runs_per_sample = static_cast<int>(runs),
          .sample_s = run_s * runs};
}

// Returns the rounds in which each body has one repetition.
int rounds_of(const std::vector<Repetitions>& plans, double most_s) {
  int rounds = 0;
  double round_s = 0.0;
  for (const Repetitions& plan : plans) {
    rounds = std::max(rounds, plan.count);
    round_s += plan.sample_s;
  }
  const double most = std::clamp<double>(most_s / round_s, fewest_repetitions, rounds);
  return rounds > fewest_repetitions ? static_cast<int>(most) : rounds;
}

}  // namespace

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Statistics time_repeatedly(const Communicator& group,
                           const RepetitionOptions& options,
                           const std::function<void()>& body) {
  return time_interleaved(group, options, {{.run = body, .prepare = {}}}).front();
}

std::vector<Statistics> time_interleaved(const Communicator& group,
                                         const RepetitionOptions& options,
                                         const std::vector<TimedBody>& bodies) {
  const Sampler sampler(group, options);
  std::vector<Repetitions> plans;
  for (const TimedBody& body : bodies) plans.push_back(sampler.plan(body));
  const int rounds = rounds_of(plans, options.most_s);
  std::vector<std::vector<double>> values_s(bodies.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      values_s[i].push_back(sampler.sample_s(plans[i].runs_per_sample, bodies[i]));
    }
  }
  std::vector<Statistics> statistics;
  for (const auto& values : values_s) statistics.push_back(summarize(values));
  return statistics;
}

}  // namespace cnnplan
