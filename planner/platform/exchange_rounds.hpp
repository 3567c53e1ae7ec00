// Describes the rounds of an allreduce once. The cost model prices the series of rounds, the
// simulator replays the rounds, and the executor sends their messages (for `ring`, see below).
//
// p ranks, n bytes, lg = log2; what one rank does:
//
//   recursive_doubling  lg p rounds: it sends all n bytes to the partner, and adds the partner's.
//   rabenseifner        lg p rounds of halves, n/2, n/4, ... n/p, added, neighbours first; then the
//                       same rounds in reverse, taken. 2(p-1)/p n bytes, (p-1)/p n added.
//   hierarchical        g ranks per node, p/g nodes. Ring reduce-scatter inside the node: g-1
//                       rounds of n/g. Then the slice of n/g is summed over the ranks of the same
//                       place on all nodes: by rabenseifner where the nodes are a power of two,
//                       else by a ring. Ring allgather inside the node.
//   ring                p-1 rounds of n/p, added, and p-1, taken.
//
// Ranks beyond a power of two hand all n bytes to a neighbour before these rounds, and get the sum
// after them (fold.hpp). Sources: Thakur, Rabenseifner and Gropp 2005; Patarasuk and Yuan 2009.
//
// The executor runs `ring` as a pipeline of chunks, which executor/comm/ring.hpp describes.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/box.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// Says how the members of a set of ranks choose the rank that they exchange with.
enum class PeerRule {
  fold,      // ranks beyond a power of two hand over to the next rank (fold.hpp)
  partners,  // the numbers of two ranks in the core differ by the bit `distance`
  ring,      // every rank sends to the next one, and the last one to the first
};

// The ranks of a group form sets that exchange at the same time, each within itself. A set has
// `members` positions of the group, `stride` apart.
struct RoundPeers {
  PeerRule rule = PeerRule::ring;
  int members = 1;
  int stride = 1;
  int distance = 1;
  bool operator==(const RoundPeers&) const = default;
};
// The position that this position sends to in rounds that add; -1: none.
int sends_to(const RoundPeers& peers, int position);
// The position that this position receives from in rounds that add; -1: none.
int receives_from(const RoundPeers& peers, int position);

// Rounds of one form. A rank adds what it receives in `rounds` rounds, whose messages hold 1/parts
// of the elements that the series begins with. The later series work on the part of 1/parts whose
// sum the rank has then. After them, if `returns` is set, as many rounds hand the finished parts
// back.
struct RoundSeries {
  RoundPeers peers;
  int rounds = 1;
  int parts = 1;
  bool returns = true;
  bool operator==(const RoundSeries&) const = default;
};
// The number of rounds in which a rank adds what it receives, if the series is run for `kind`.
int adding_rounds(const RoundSeries& series, CollectiveKind kind);
// The number of all rounds: an allreduce adds and returns, and each half does one of the two.
int round_count(const RoundSeries& series, CollectiveKind kind);

// The only series of `ring`. @pre ranks >= 1
RoundSeries ring_series(int ranks);
// The series of an allreduce, in the order in which they begin.
// @pre `ranks_per_node` divides `ranks`; algorithm is not `library`
std::vector<RoundSeries> round_series(AllreduceAlgorithm algorithm,
                                      int ranks,
                                      int ranks_per_node = 1);

// The message that a rank sends and the message that it receives at the same time. Ranks are
// positions in the group; -1: no message.
struct ExchangeRound {
  int send_to = -1;
  Range sent;  // elements
  int receive_from = -1;
  Range received;
  bool adds = false;  // else it takes what it receives
  auto operator<=>(const ExchangeRound&) const = default;
};

struct ExchangeShape {
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::recursive_doubling;
  std::int64_t elements = 0;
  int ranks = 1;
  int ranks_per_node = 1;  // consecutive positions; `hierarchical` uses it, and it divides `ranks`
};

// The rounds of one rank, in order. Ranges without elements are no messages; every message has a
// receive of the same range. Partners add the same two numbers, so every rank gets the same bits.
// @pre 0 <= position < shape.ranks; algorithm is not `library`
std::vector<ExchangeRound> exchange_rounds(const ExchangeShape& shape, int position);

// The number of ranks of the group on each node, if nodes of `ranks_per_node` consecutive ranks
// hold equally many of them; else 1. @pre ranks_per_node >= 1
int members_per_node(const RankGroup& group, int ranks_per_node);

}  // namespace cnnplan
