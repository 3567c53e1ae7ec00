// Describes the rounds of an allreduce once. The cost model prices the series of rounds, the
// simulator replays the rounds, and the executor sends their messages (for `ring`, see below).
//
// With p ranks, n bytes and lg = log2, one rank does this:
//
//   recursive_doubling  In lg p rounds, it exchanges all n bytes with a partner, and adds.
//   rabenseifner        In lg p rounds, it exchanges n/2, n/4, ... n/p bytes with a partner, the
//                       neighbour first, and adds. Then the rounds run in reverse, without adding.
//                       It sends 2(p-1)/p n bytes, and adds (p-1)/p n.
//   hierarchical        There are p/g nodes of g ranks. A ring reduce-scatter inside the node takes
//                       g-1 rounds of n/g bytes. Then ranks at equal places of all nodes sum their
//                       slices of n/g bytes: by rabenseifner if the number of nodes is a power of
//                       two, else by a ring. Last comes a ring allgather inside the node.
//   ring                It passes n/p bytes on and adds in p-1 rounds, then without adding in p-1.
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
  partners,  // numbers of two ranks in the core (fold.hpp) differ by the bit `distance`
  ring,      // every rank sends to the next one, and the last one to the first
};

// The ranks of a group form sets. All sets exchange at the same time, each among its members. A set
// has `members` positions of the group, `stride` apart.
struct RoundPeers {
  PeerRule rule = PeerRule::ring;
  int members = 1;
  int stride = 1;
  int distance = 1;  // `partners` only: a power of two
  bool operator==(const RoundPeers&) const = default;
};
// Returns the position to which this position sends in rounds that add, or -1 if there is none.
int sends_to(const RoundPeers& peers, int position);
// Returns the position from which this position receives in rounds that add, or -1.
int receives_from(const RoundPeers& peers, int position);

// Describes rounds of one form. A rank adds received elements in `rounds` rounds, whose messages
// hold 1/parts of the elements with which the series begins. Later series work on the part whose
// sum the rank then has, which is 1/parts of the elements. If `returns` is set, an equal number of
// rounds hands the finished parts back after all later series.
struct RoundSeries {
  RoundPeers peers;
  int rounds = 1;
  int parts = 1;
  bool returns = true;
  bool operator==(const RoundSeries&) const = default;
};
// Returns the number of rounds that add, if the series is run for `kind`.
int adding_rounds(const RoundSeries& series, CollectiveKind kind);
// Returns the number of all rounds. An allreduce adds and returns, and each half does one of these.
int round_count(const RoundSeries& series, CollectiveKind kind);

// Returns the only series of `ring`. @pre ranks >= 1
RoundSeries ring_series(int ranks);
// Returns the series of an allreduce, in the order in which they begin.
// @pre `ranks_per_node` divides `ranks`; algorithm is not `library`
std::vector<RoundSeries> round_series(AllreduceAlgorithm algorithm,
                                      int ranks,
                                      int ranks_per_node = 1);

// Describes the message that a rank sends, and the message that it receives at the same time. Ranks
// are positions in the group, and -1 stands for no message.
struct ExchangeRound {
  int send_to = -1;
  Range sent;  // elements
  int receive_from = -1;
  Range received;
  bool adds = false;  // received elements are added; else they replace the own elements
  auto operator<=>(const ExchangeRound&) const = default;
};

// Holds what the rounds of an allreduce depend on.
struct ExchangeShape {
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::recursive_doubling;
  std::int64_t elements = 0;  // that are summed
  int ranks = 1;              // of the group
  int ranks_per_node = 1;  // consecutive positions; `hierarchical` uses it, and it divides `ranks`
};

// Returns the rounds of the rank at a position of the group, in order. A range without elements
// means no message. The range that a rank sends is the range that its receiver receives. Both
// partners of an exchange add the same two numbers, so every rank gets identical bits.
// @pre 0 <= position < shape.ranks; algorithm is not `library`
std::vector<ExchangeRound> exchange_rounds(const ExchangeShape& shape, int position);

// Returns how many ranks of the group each node has, for `hierarchical`. A node is `ranks_per_node`
// consecutive ranks of the program. The result is 1 if the nodes that have ranks of the group do
// not have equally many. @pre ranks_per_node >= 1
int members_per_node(const RankGroup& group, int ranks_per_node);

}  // namespace cnnplan
