// An allreduce written out as rounds of messages: what the executor sends, the simulator replays
// and the cost model prices.
//
// p ranks, n bytes, lg = log2; what one rank does:
//
//   recursive_doubling  lg p rounds: all n bytes to the partner and from it, added.
//   rabenseifner        lg p rounds of halves, n/2, n/4, ... n/p, added, neighbours first; then the
//                       same way back, taken. 2(p-1)/p n bytes, (p-1)/p n added.
//   hierarchical        g ranks per node, p/g nodes. Ring reduce-scatter inside the node: g-1
//                       rounds of n/g. The slice of n/g over the ranks of the same place on all
//                       nodes: rabenseifner where the nodes are a power of two, else a ring. Ring
//                       allgather inside the node.
//   ring                p-1 rounds of n/p, added, and p-1, taken.
//
// Ranks beyond a power of two hand all n bytes to a neighbour before, and get the sum after
// (fold.hpp). Sources: Thakur, Rabenseifner and Gropp 2005; Patarasuk and Yuan 2009.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/box.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// What a rank sends and receives at once. Positions in the group; -1: nothing.
struct ExchangeRound {
  int send_to = -1;
  Range sent;  // elements
  int receive_from = -1;
  Range received;
  bool adds = false;  // else takes what it receives
  auto operator<=>(const ExchangeRound&) const = default;
};

struct ExchangeShape {
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::recursive_doubling;
  std::int64_t elements = 0;
  int ranks = 1;
  int ranks_per_node = 1;  // consecutive positions; divides `ranks`. For `hierarchical`
};

// The rounds of one rank, in order. Ranges without elements are no messages; every message has a
// receive of the same range. Partners add the same two numbers, so every rank gets the same bits.
// @pre 0 <= position < shape.ranks; algorithm is not `library`
std::vector<ExchangeRound> exchange_rounds(const ExchangeShape& shape, int position);

// Ranks of the group on each node, where nodes of `ranks_per_node` consecutive ranks hold equally
// many of them; else 1. @pre ranks_per_node >= 1
int members_per_node(const RankGroup& group, int ranks_per_node);

}  // namespace cnnplan
