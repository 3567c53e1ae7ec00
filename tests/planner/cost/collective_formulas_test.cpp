// Tests the formulas of collectives, which are the oracle of the cost model, by their factors.
#include "tests/planner/cost/collective_formulas.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// The figures are powers of ten apart. So the three digits of a result are the factors of alpha, n
// beta and n gamma.
constexpr LinearCost digits{.alpha_s = 1e4, .beta_s_per_byte = 1e2, .gamma_s_per_byte = 1};

double expected(double alphas, double betas, double gammas, double bytes) {
  return 1e4 * alphas + bytes * (1e2 * betas + gammas);
}

using Formula = double (*)(int, double, const LinearCost&);

struct Row {
  const char* name;
  Formula formula;
  int ranks;
  double alphas;  // factor of alpha
  double betas;   // factor of n beta
  double gammas;  // factor of n gamma
};

}  // namespace

TEST_CASE("collective formulas: factors of alpha, n beta and n gamma") {
  const Row rows[] = {
      {"recursive doubling", allreduce_recursive_doubling_s, 8, 3, 3, 3},
      {"recursive doubling, folded", allreduce_recursive_doubling_s, 6, 4, 4, 3},
      {"Rabenseifner", allreduce_rabenseifner_s, 4, 4, 1.5, 0.75},
      {"Rabenseifner, folded", allreduce_rabenseifner_s, 5, 6, 3.5, 1.75},
      {"ring", allreduce_ring_s, 5, 8, 1.6, 0.8},
      {"lower bound", allreduce_lower_bound_s, 5, 0, 1.6, 0},
      {"recursive halving", reduce_scatter_recursive_halving_s, 8, 3, 0.875, 0.875},
      {"reduce-scatter ring", reduce_scatter_ring_s, 5, 4, 0.8, 0.8},
      {"allgather recursive doubling", allgather_recursive_doubling_s, 8, 3, 0.875, 0},
      {"allgather Bruck", allgather_bruck_s, 5, 3, 0.8, 0},
      {"allgather ring", allgather_ring_s, 5, 4, 0.8, 0},
      {"alltoall Bruck", alltoall_bruck_s, 8, 3, 1.5, 0},
      {"alltoall pairwise", alltoall_pairwise_s, 5, 4, 0.8, 0},
      {"broadcast binomial", broadcast_binomial_s, 5, 3, 3, 0},
      {"broadcast scatter", broadcast_scatter_allgather_s, 8, 10, 1.75, 0},
      {"reduce binomial", reduce_binomial_s, 5, 3, 3, 3},
      {"reduce Rabenseifner", reduce_rabenseifner_s, 4, 4, 1.5, 0.75},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    constexpr double bytes = 40;
    CHECK(row.formula(row.ranks, bytes, digits) ==
          relative(expected(row.alphas, row.betas, row.gammas, bytes)));
    CHECK(row.formula(1, bytes, digits) == 0.0);
  }
}

TEST_CASE("collective formulas: the best allreduce is the fastest") {
  for (int ranks : {2, 3, 4, 7, 16}) {
    for (double bytes : {8.0, 1e4, 1e8}) {
      const LinearCost cost{1e-6, 1e-10, 1e-11};
      const double best_s = allreduce_best_s(ranks, bytes, cost);
      CHECK(best_s == std::min({allreduce_recursive_doubling_s(ranks, bytes, cost),
                                allreduce_rabenseifner_s(ranks, bytes, cost),
                                allreduce_ring_s(ranks, bytes, cost)}));
      CHECK(best_s >= allreduce_lower_bound_s(ranks, bytes, cost));
    }
  }
}

TEST_CASE("collective formulas: refuse rank counts that they do not hold for") {
  CHECK_THROWS_AS(reduce_scatter_recursive_halving_s(6, 1, digits), std::logic_error);
  CHECK_THROWS_AS(allgather_recursive_doubling_s(6, 1, digits), std::logic_error);
  CHECK_THROWS_AS(alltoall_bruck_s(6, 1, digits), std::logic_error);
  CHECK_THROWS_AS(allreduce_ring_s(0, 1, digits), std::logic_error);
}

TEST_CASE("collective formulas: hierarchical inside, between, and with shared adapters") {
  NodeGroup nodes{.ranks_per_node = 4,
                  .nodes = 2,
                  .adapter_sharing = 1,
                  .inner = digits,
                  .outer = {.alpha_s = 1e8, .beta_s_per_byte = 1e6}};
  // Inside a node, the sum takes 6 alpha, 1.5 n beta and 0.75 n gamma. Two nodes sum n/4, for which
  // every algorithm except recursive doubling needs 2 alpha.
  const double inside_s = expected(6, 1.5, 0.75, 40);
  CHECK(allreduce_hierarchical_s(nodes, 40) == relative(inside_s + 1e8 + 10 * 1e6));
  nodes.adapter_sharing = 4;
  CHECK(allreduce_hierarchical_s(nodes, 40) == relative(inside_s + 1e8 + 40 * 1e6));
  nodes.nodes = 1;
  CHECK(allreduce_hierarchical_s(nodes, 40) == relative(inside_s));
}

TEST_CASE("collective formulas: a flat ring is as slow as its slowest link") {
  NodeGroup nodes{.ranks_per_node = 4,
                  .nodes = 2,
                  .adapter_sharing = 4,
                  .inner = {.alpha_s = 1e4, .beta_s_per_byte = 1},
                  .outer = {.alpha_s = 1, .beta_s_per_byte = 1e2}};
  CHECK(allreduce_flat_ring_s(nodes, 40) == relative(14 * 1e4 + 1.75 * 40 * 1e2));
  nodes.nodes = 1;
  CHECK(allreduce_flat_ring_s(nodes, 40) == relative(6 * 1e4 + 1.5 * 40));
}

}  // namespace cnnplan::test
