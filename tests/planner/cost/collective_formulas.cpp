// Implements each formula in one function.
#include "tests/planner/cost/collective_formulas.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace cnnplan::test {
namespace {

unsigned checked_ranks(int ranks) {
  if (ranks < 1) throw std::logic_error("a collective needs at least one rank");
  return static_cast<unsigned>(ranks);
}

int floor_log2(int ranks) {
  return std::bit_width(checked_ranks(ranks)) - 1;
}

int ceil_log2(int ranks) {
  return std::bit_width(checked_ranks(ranks) - 1);
}

int exact_log2(int ranks) {
  if (!is_power_of_two(ranks)) throw std::logic_error("the formula is for powers of two");
  return floor_log2(ranks);
}

// Returns (p-1)/p, the fraction of a vector of p parts that one rank sends.
double sent_fraction(int ranks) {
  return (checked_ranks(ranks) - 1.0) / ranks;
}

}  // namespace

bool is_power_of_two(int ranks) {
  return std::has_single_bit(checked_ranks(ranks));
}

double allreduce_recursive_doubling_s(int ranks, double bytes, const LinearCost& cost) {
  const int q = floor_log2(ranks);
  const bool folds = !is_power_of_two(ranks);
  const int messages = folds ? q + 2 : q;
  const int reductions = folds ? q + 1 : q;
  return messages * (cost.alpha_s + bytes * cost.beta_s_per_byte) +
         reductions * bytes * cost.gamma_s_per_byte;
}

double allreduce_rabenseifner_s(int ranks, double bytes, const LinearCost& cost) {
  const int q = floor_log2(ranks);
  const double sent_bytes = sent_fraction(1 << q) * bytes;
  const double core_s = 2 * q * cost.alpha_s + 2 * sent_bytes * cost.beta_s_per_byte +
                        sent_bytes * cost.gamma_s_per_byte;
  if (is_power_of_two(ranks)) return core_s;
  return core_s + 2 * (cost.alpha_s + bytes * cost.beta_s_per_byte) + bytes * cost.gamma_s_per_byte;
}

double allreduce_ring_s(int ranks, double bytes, const LinearCost& cost) {
  return reduce_scatter_ring_s(ranks, bytes, cost) + allgather_ring_s(ranks, bytes, cost);
}

double allreduce_best_s(int ranks, double bytes, const LinearCost& cost) {
  return std::min({allreduce_recursive_doubling_s(ranks, bytes, cost),
                   allreduce_rabenseifner_s(ranks, bytes, cost),
                   allreduce_ring_s(ranks, bytes, cost)});
}

double allreduce_lower_bound_s(int ranks, double bytes, const LinearCost& cost) {
  return 2 * sent_fraction(ranks) * bytes * cost.beta_s_per_byte;
}

double reduce_scatter_recursive_halving_s(int ranks, double bytes, const LinearCost& cost) {
  return exact_log2(ranks) * cost.alpha_s +
         sent_fraction(ranks) * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte);
}

double reduce_scatter_ring_s(int ranks, double bytes, const LinearCost& cost) {
  return (ranks - 1) * cost.alpha_s +
         sent_fraction(ranks) * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte);
}

double allgather_recursive_doubling_s(int ranks, double bytes, const LinearCost& cost) {
  return exact_log2(ranks) * cost.alpha_s + sent_fraction(ranks) * bytes * cost.beta_s_per_byte;
}

double allgather_bruck_s(int ranks, double bytes, const LinearCost& cost) {
  return ceil_log2(ranks) * cost.alpha_s + sent_fraction(ranks) * bytes * cost.beta_s_per_byte;
}

double allgather_ring_s(int ranks, double bytes, const LinearCost& cost) {
  return (ranks - 1) * cost.alpha_s + sent_fraction(ranks) * bytes * cost.beta_s_per_byte;
}

double alltoall_bruck_s(int ranks, double bytes, const LinearCost& cost) {
  return exact_log2(ranks) * (cost.alpha_s + bytes / 2 * cost.beta_s_per_byte);
}

double alltoall_pairwise_s(int ranks, double bytes, const LinearCost& cost) {
  return allgather_ring_s(ranks, bytes, cost);
}

double broadcast_binomial_s(int ranks, double bytes, const LinearCost& cost) {
  return ceil_log2(ranks) * (cost.alpha_s + bytes * cost.beta_s_per_byte);
}

double broadcast_scatter_allgather_s(int ranks, double bytes, const LinearCost& cost) {
  return (ceil_log2(ranks) + ranks - 1) * cost.alpha_s +
         2 * sent_fraction(ranks) * bytes * cost.beta_s_per_byte;
}

double reduce_binomial_s(int ranks, double bytes, const LinearCost& cost) {
  return ceil_log2(ranks) * (cost.alpha_s + bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte));
}

double reduce_rabenseifner_s(int ranks, double bytes, const LinearCost& cost) {
  return allreduce_rabenseifner_s(ranks, bytes, cost);
}

double allreduce_hierarchical_s(const NodeGroup& nodes, double bytes) {
  LinearCost between = nodes.outer;
  between.beta_s_per_byte *= nodes.adapter_sharing;
  return allreduce_ring_s(nodes.ranks_per_node, bytes, nodes.inner) +
         allreduce_best_s(nodes.nodes, bytes / nodes.ranks_per_node, between);
}

double allreduce_flat_ring_s(const NodeGroup& nodes, double bytes) {
  const bool one_node = nodes.nodes == 1;
  const LinearCost& outer = one_node ? nodes.inner : nodes.outer;
  const LinearCost slowest{
      .alpha_s = std::max(nodes.inner.alpha_s, outer.alpha_s),
      .beta_s_per_byte = std::max(nodes.inner.beta_s_per_byte, outer.beta_s_per_byte),
      .gamma_s_per_byte = nodes.inner.gamma_s_per_byte};
  return allreduce_ring_s(nodes.ranks_per_node * nodes.nodes, bytes, slowest);
}

}  // namespace cnnplan::test
