// Gives each sweep its share of the time that is left when it begins.
#include "profiler/sweep_budget.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cnnplan {
namespace {

// Before the repetitions of a size, a sum is checked and each body runs once to warm up.
constexpr int rounds_before = 2;

}  // namespace

SweepBudget::SweepBudget(double seconds, int all_bodies, std::function<double()> clock_s)
    : clock_s_(std::move(clock_s)), end_s_(clock_s_() + seconds), bodies_left_(all_bodies) {}

void SweepBudget::begin_sweep(int bodies) {
  const double now = clock_s_();
  const double share = static_cast<double>(bodies) / std::max(bodies, bodies_left_);
  sweep_end_s_ = now + std::max(0.0, end_s_ - now) * share;
  bodies_left_ -= bodies;
}

double SweepBudget::most_s(const Communicator& ranks) const {
  return left_s(ranks) / 4;
}

bool SweepBudget::has_time_for(double round_s, const Communicator& ranks) const {
  return round_s * (rounds_before + fewest_repetitions) <= left_s(ranks);
}

double SweepBudget::left_s(const Communicator& ranks) const {
  const double own_s = sweep_end_s_ - clock_s_();
  return std::max(0.0,
                  ranks.maximum(ranks.rank() == 0 ? own_s : std::numeric_limits<double>::lowest()));
}

}  // namespace cnnplan
