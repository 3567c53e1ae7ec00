// Rounds over ranks in equal distances, put together.
#include "planner/platform/exchange_rounds.hpp"

#include <stdexcept>

#include "planner/platform/fold.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

struct Message {
  int peer = -1;
  Range range;
};

// Positions in equal distances.
struct Members {
  int first = 0;
  int stride = 1;
  int count = 1;
  int position(int member) const { return first + member * stride; }
};

Range slice(const Range& whole, int parts, int part) {
  const Range within = block_range(whole.size(), parts, part);
  return {whole.begin + within.begin, whole.begin + within.end};
}

// The rounds of one of the members, `own`.
class MemberRounds {
 public:
  MemberRounds(const Members& members, int own, std::vector<ExchangeRound>& rounds)
      : members_(members), own_(own), rounds_(rounds) {}

  // Leaves the sum of slice `own` with each member.
  void ring_reduce_scatter(const Range& range) {
    for (int step = 1; step < members_.count; ++step) {
      ring_step(ring_slice(range, -step), ring_slice(range, -step - 1), true);
    }
  }

  void ring_allgather(const Range& range) {
    for (int step = 0; step + 1 < members_.count; ++step) {
      ring_step(ring_slice(range, -step), ring_slice(range, -step - 1), false);
    }
  }

  void recursive_doubling(const Range& range) {
    fold(range, [&](const Fold& core) {
      for (int mask = 1; mask < core.core_ranks; mask *= 2) {
        const int peer = partner(core, mask);
        add({peer, range}, {peer, range}, true);
      }
    });
  }

  void rabenseifner(const Range& range) {
    fold(range, [&](const Fold& core) { halve(core, range, 1); });
  }

 private:
  void add(const Message& sent, const Message& received, bool adds) {
    ExchangeRound round;
    if (sent.peer >= 0 && sent.range.size() > 0) {
      round.send_to = members_.position(sent.peer);
      round.sent = sent.range;
    }
    if (received.peer >= 0 && received.range.size() > 0) {
      round.receive_from = members_.position(received.peer);
      round.received = received.range;
      round.adds = adds;
    }
    if (round.send_to >= 0 || round.receive_from >= 0) rounds_.push_back(round);
  }

  Range ring_slice(const Range& range, int places) const {
    return slice(range, members_.count, (own_ + places + members_.count) % members_.count);
  }

  void ring_step(const Range& sent, const Range& received, bool adds) {
    const int count = members_.count;
    add({(own_ + 1) % count, sent}, {(own_ + count - 1) % count, received}, adds);
  }

  int partner(const Fold& core, int mask) const {
    return core.position_of(core.core_of(own_) ^ mask);
  }

  template <typename Core>
  void fold(const Range& range, Core core_rounds) {
    const Fold core(members_.count);
    if (core.is_folded(own_)) {
      add({own_ + 1, range}, {}, true);
      return add({}, {own_ + 1, range}, false);
    }
    if (core.takes(own_)) add({}, {own_ - 1, range}, true);
    core_rounds(core);
    if (core.takes(own_)) add({own_ - 1, range}, {}, false);
  }

  // Keeps a half, sums it with those farther away, and gets the other half back.
  void halve(const Fold& core, const Range& range, int mask) {
    if (mask == core.core_ranks) return;
    const int peer = partner(core, mask);
    const int half = (core.core_of(own_) & mask) != 0 ? 1 : 0;
    const Range kept = slice(range, 2, half);
    const Range given = slice(range, 2, 1 - half);
    add({peer, given}, {peer, kept}, true);
    halve(core, kept, 2 * mask);
    add({peer, kept}, {peer, given}, false);
  }

  Members members_;
  int own_;
  std::vector<ExchangeRound>& rounds_;
};

void add_hierarchical(const ExchangeShape& shape,
                      int position,
                      std::vector<ExchangeRound>& rounds) {
  const int inside = shape.ranks_per_node;
  const int nodes = shape.ranks / inside;
  const int node = position / inside;
  const int place = position % inside;
  const Range all{0, shape.elements};
  MemberRounds here({.first = node * inside, .stride = 1, .count = inside}, place, rounds);
  MemberRounds others({.first = place, .stride = inside, .count = nodes}, node, rounds);
  const Range own = slice(all, inside, place);
  here.ring_reduce_scatter(all);
  if (Fold(nodes).folded == 0) {
    others.rabenseifner(own);
  } else {
    others.ring_reduce_scatter(own);
    others.ring_allgather(own);
  }
  here.ring_allgather(all);
}

}  // namespace

std::vector<ExchangeRound> exchange_rounds(const ExchangeShape& shape, int position) {
  std::vector<ExchangeRound> rounds;
  const Range all{0, shape.elements};
  MemberRounds ranks({.first = 0, .stride = 1, .count = shape.ranks}, position, rounds);
  switch (shape.algorithm) {
    case AllreduceAlgorithm::ring:
      ranks.ring_reduce_scatter(all);
      ranks.ring_allgather(all);
      return rounds;
    case AllreduceAlgorithm::recursive_doubling:
      ranks.recursive_doubling(all);
      return rounds;
    case AllreduceAlgorithm::rabenseifner:
      ranks.rabenseifner(all);
      return rounds;
    case AllreduceAlgorithm::hierarchical:
      add_hierarchical(shape, position, rounds);
      return rounds;
    case AllreduceAlgorithm::library:
      break;
  }
  throw std::logic_error("nobody knows the rounds of the library's allreduce");
}

int members_per_node(const RankGroup& group, int ranks_per_node) {
  int members = 0;
  while (members < group.size() && group[members] / ranks_per_node == group[0] / ranks_per_node) {
    ++members;
  }
  if (members == 0 || group.size() % members != 0) return 1;
  for (int i = 0; i < group.size(); i += members) {
    const int node = group[i] / ranks_per_node;
    const bool is_first = i == 0 || group[i - 1] / ranks_per_node != node;
    if (!is_first || group[i + members - 1] / ranks_per_node != node) return 1;
  }
  return members;
}

}  // namespace cnnplan
