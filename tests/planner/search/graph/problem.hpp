// A search problem with all that it refers to, and a platform on which most of its prices differ.
#pragma once

#include <algorithm>
#include <utility>

#include "planner/search/pricing/pricing.hpp"

namespace cnnplan::test {

// Pairs of ranks with fast links, slow and shared ones between them. With a duplex factor below 1,
// short messages pay most of their time before the first byte.
inline Platform pairs_of_ranks(int ranks, double duplex_factor) {
  Platform platform = default_platform(ranks);
  platform.levels = {{.name = "node",
                      .ranks_per_group = 2,
                      .segments = {{4096, 1e-6, 2e-10}, {1 << 30, 5e-6, 1e-10}},
                      .duplex_factor = duplex_factor},
                     {.name = "cluster",
                      .ranks_per_group = std::max(ranks, 2),
                      .segments = {{4096, 2e-5, 2e-9}, {1 << 30, 1e-4, 1e-9}},
                      .shared_by = 2}};
  return platform;
}

// Returns a plan with the network, ranks, batch and collectives of `sample`, and defaults
// otherwise.
inline Plan blank_like(const Plan& sample) {
  Plan blank = uniform_plan(sample.network, sample.batch, Mesh({{Axis::r, sample.ranks}}));
  blank.gradient_allreduce = sample.gradient_allreduce;
  blank.small_gradient_allreduces = sample.small_gradient_allreduces;
  blank.sharded_update = sample.sharded_update;
  blank.statistics_allreduce = sample.statistics_allreduce;
  blank.ranks_per_node = sample.ranks_per_node;
  return blank;
}

class Problem {
 public:
  Problem(const Plan& sample, Platform platform)
      : platform_(std::move(platform)),
        kernels_(Profile{}, platform_),
        prices_(platform_, kernels_),
        blank(blank_like(sample)),
        choices(split_choices(blank)),
        whole(price_network(blank, choices, prices_)) {}
  Problem(const Network& network, std::int64_t batch, int ranks)
      : Problem(uniform_plan(network, batch, Mesh({{Axis::r, ranks}})), default_platform(ranks)) {}

  const PriceList& prices() const { return prices_; }

 private:
  Platform platform_;
  KernelCosts kernels_;
  PriceList prices_;

 public:
  Plan blank;
  SplitChoices choices;
  PricedNetwork whole;  // all pairs priced
};

}  // namespace cnnplan::test
