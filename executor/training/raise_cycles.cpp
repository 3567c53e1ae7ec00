// Changes the number of cycles of each chain of a plan.
#include "executor/training/raise_cycles.hpp"

#include <algorithm>

#include "planner/network/residual_chain.hpp"

namespace cnnplan {
namespace {

std::int64_t coarse_steps(const Network& network, const Multigrid& chain) {
  const std::int64_t layers = std::ssize(part_of_chain(network, chain.first, chain.last));
  return (layers + chain.coarsening - 1) / chain.coarsening;
}

bool is_same(const Multigrid& chain, LayerIndex first, LayerIndex last) {
  return chain.first == first && chain.last == last;
}

}  // namespace

Plan with_one_more_cycle(const Plan& plan) {
  Plan raised = plan;
  for (Multigrid& chain : raised.multigrid) ++chain.cycles;
  std::erase_if(raised.multigrid, [&](const Multigrid& chain) {
    return chain.cycles > max_cycles || chain.cycles >= coarse_steps(plan.network, chain);
  });
  return raised;
}

std::vector<RaisedCycles> raised_cycles(const Plan& given, const Plan& now) {
  std::vector<RaisedCycles> raised;
  for (const Multigrid& chain : given.multigrid) {
    int cycles = 0;
    for (const Multigrid& other : now.multigrid) {
      if (is_same(other, chain.first, chain.last)) cycles = other.cycles;
    }
    if (cycles == chain.cycles) continue;
    raised.push_back({.first = chain.first, .last = chain.last, .cycles = cycles});
  }
  return raised;
}

Plan with_raised_cycles(const Plan& plan, const std::vector<RaisedCycles>& raised) {
  Plan changed = plan;
  for (const RaisedCycles& entry : raised) {
    std::erase_if(changed.multigrid, [&entry](const Multigrid& chain) {
      return entry.cycles == 0 && is_same(chain, entry.first, entry.last);
    });
    for (Multigrid& chain : changed.multigrid) {
      if (!is_same(chain, entry.first, entry.last)) continue;
      chain.cycles = std::max(chain.cycles, entry.cycles);
    }
  }
  return changed;
}

int most_cycles(const Plan& plan) {
  int most = 0;
  for (const Multigrid& chain : plan.multigrid) most = std::max(most, chain.cycles);
  return most;
}

}  // namespace cnnplan
