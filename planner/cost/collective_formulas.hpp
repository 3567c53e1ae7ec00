// Published times of collectives on links with one latency and one bandwidth.
//
// p = ranks, n = bytes: the whole vector of one rank (for allgather, reduce-scatter and alltoall
// the whole gathered, reduced or sent vector). lg is log2, q = floor(lg p). Sources: "Thakur" is
// Thakur, Rabenseifner and Gropp 2005; "Patarasuk" is Patarasuk and Yuan 2009. p = 1 takes no time.
#pragma once

namespace cnnplan {

struct LinearCost {
  double alpha_s = 0.0;           // per message
  double beta_s_per_byte = 0.0;   // per byte sent
  double gamma_s_per_byte = 0.0;  // per byte reduced locally
};

bool is_power_of_two(int ranks);

// p = 2^q: lg p (alpha + n beta + n gamma). Otherwise, with a fold in and a fold out:
// (q+2)(alpha + n beta) + (q+1) n gamma. Thakur on allreduce.
double allreduce_recursive_doubling_s(int ranks, double bytes, const LinearCost& cost);
// p = 2^q: 2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma. Otherwise the same on 2^q ranks plus a
// fold, 2 alpha + 2 n beta + n gamma. Thakur on allreduce.
double allreduce_rabenseifner_s(int ranks, double bytes, const LinearCost& cost);
// 2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma. Patarasuk.
double allreduce_ring_s(int ranks, double bytes, const LinearCost& cost);
// The fastest of the three above: what a library that chooses well runs.
double allreduce_best_s(int ranks, double bytes, const LinearCost& cost);
// No allreduce is faster: 2(p-1)/p n beta. Patarasuk.
double allreduce_lower_bound_s(int ranks, double bytes, const LinearCost& cost);
// n/t 2(p-1)/p: what the links carry, comparable between rank counts. @pre time_s > 0
double bus_bandwidth_bytes_per_s(int ranks, double bytes, double time_s);

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

// Nodes of equally many ranks.
struct NodeGroup {
  int ranks_per_node = 1;
  int nodes = 1;
  int adapter_sharing = 1;  // ranks that use one adapter at once
  LinearCost inner;         // inside a node
  LinearCost outer;         // between nodes, one rank alone
};

// Reduce-scatter and allgather inside the nodes, allreduce of each slice between them: with g ranks
// per node, P nodes and c ranks per adapter
// 2(g-1) alpha1 + 2(g-1)/g n beta1 + (g-1)/g n gamma + AR(P, n/g; alpha2, c beta2).
double allreduce_hierarchical_s(const NodeGroup& nodes, double bytes);
// One ring through all nodes, neighbours in the same node where possible:
// 2(p-1) alpha_max + 2(p-1)/p n beta_slowest, plus (p-1)/p n gamma as every ring.
double allreduce_flat_ring_s(const NodeGroup& nodes, double bytes);

}  // namespace cnnplan
