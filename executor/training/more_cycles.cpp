// Chain by chain.
#include "executor/training/more_cycles.hpp"

#include <algorithm>

#include "planner/model/residual_chain.hpp"

namespace cnnplan {
namespace {

int coarse_steps(const Network& network, const Multigrid& chain) {
  const auto layers = static_cast<int>(part_of_chain(network, chain.first, chain.last).size());
  return (layers + chain.coarsening - 1) / chain.coarsening;
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

int most_cycles(const Plan& plan) {
  int most = 0;
  for (const Multigrid& chain : plan.multigrid) most = std::max(most, chain.cycles);
  return most;
}

}  // namespace cnnplan
