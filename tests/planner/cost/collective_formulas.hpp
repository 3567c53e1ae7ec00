// Computes the times of collectives by published formulas, for one latency and one bandwidth.
//
// p is the number of ranks, and p = 1 takes no time. n is the number of bytes of the whole vector
// that is reduced, gathered or sent. lg is log2, and q = floor(lg p). Sources: "Thakur" is Thakur,
// Rabenseifner and Gropp 2005; "Patarasuk" is Patarasuk and Yuan 2009.
#pragma once

namespace cnnplan::test {

struct LinearCost {
  double alpha_s = 0.0;           // per message
  double beta_s_per_byte = 0.0;   // per byte sent
  double gamma_s_per_byte = 0.0;  // per byte reduced locally
};

bool is_power_of_two(int ranks);

// For p = 2^q: lg p (alpha + n beta + n gamma). Other numbers of ranks fold in and out, and take
// (q+2)(alpha + n beta) + (q+1) n gamma. Thakur on allreduce.
double allreduce_recursive_doubling_s(int ranks, double bytes, const LinearCost& cost);
// For p = 2^q: 2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma. Other numbers of ranks take the
// time of 2^q ranks plus that of a fold, 2 alpha + 2 n beta + n gamma. Thakur on allreduce.
double allreduce_rabenseifner_s(int ranks, double bytes, const LinearCost& cost);
// 2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma. Patarasuk.
double allreduce_ring_s(int ranks, double bytes, const LinearCost& cost);
// Returns the time of the fastest algorithm above, which a good library chooses.
double allreduce_best_s(int ranks, double bytes, const LinearCost& cost);
// No allreduce is faster than 2(p-1)/p n beta. Patarasuk.
double allreduce_lower_bound_s(int ranks, double bytes, const LinearCost& cost);

// lg p alpha + (p-1)/p n (beta + gamma). Thakur on reduce-scatter. @pre p is a power of two
double reduce_scatter_recursive_halving_s(int ranks, double bytes, const LinearCost& cost);
// Pairwise exchange or ring: (p-1) alpha + (p-1)/p n (beta + gamma). Thakur on reduce-scatter.
double reduce_scatter_ring_s(int ranks, double bytes, const LinearCost& cost);

// lg p alpha + (p-1)/p n beta. Thakur on allgather. @pre p is a power of two
double allgather_recursive_doubling_s(int ranks, double bytes, const LinearCost& cost);
// ceil(lg p) alpha + (p-1)/p n beta. Thakur on allgather.
double allgather_bruck_s(int ranks, double bytes, const LinearCost& cost);
// (p-1) alpha + (p-1)/p n beta. Thakur on allgather.
double allgather_ring_s(int ranks, double bytes, const LinearCost& cost);

// lg p alpha + n/2 lg p beta. Thakur on all-to-all. @pre p is a power of two
double alltoall_bruck_s(int ranks, double bytes, const LinearCost& cost);
// (p-1) alpha + (p-1)/p n beta. Thakur on all-to-all.
double alltoall_pairwise_s(int ranks, double bytes, const LinearCost& cost);

// ceil(lg p)(alpha + n beta). Thakur on broadcast.
double broadcast_binomial_s(int ranks, double bytes, const LinearCost& cost);
// Scatter, then ring allgather: (lg p + p - 1) alpha + 2(p-1)/p n beta. Thakur on broadcast.
double broadcast_scatter_allgather_s(int ranks, double bytes, const LinearCost& cost);

// ceil(lg p)(alpha + n beta + n gamma). Thakur on reduce.
double reduce_binomial_s(int ranks, double bytes, const LinearCost& cost);
// Reduce-scatter, then gather: as Rabenseifner's allreduce. Thakur on reduce.
double reduce_rabenseifner_s(int ranks, double bytes, const LinearCost& cost);

// Describes nodes with an equal number of ranks each.
struct NodeGroup {
  int ranks_per_node = 1;
  int nodes = 1;
  int adapter_sharing = 1;  // ranks that use one adapter at once
  LinearCost inner;         // inside a node
  LinearCost outer;         // between nodes, one rank alone
};

// A reduce-scatter and an allgather run inside the nodes, and an allreduce of each slice runs
// between them. With g ranks per node, P nodes and c ranks per adapter, this takes 2(g-1) alpha1 +
// 2(g-1)/g n beta1 + (g-1)/g n gamma + AR(P, n/g; alpha2, c beta2).
double allreduce_hierarchical_s(const NodeGroup& nodes, double bytes);
// One ring passes through all nodes, and neighbours share a node where possible. It takes
// 2(p-1) alpha_max + 2(p-1)/p n beta_slowest + (p-1)/p n gamma.
double allreduce_flat_ring_s(const NodeGroup& nodes, double bytes);

}  // namespace cnnplan::test
