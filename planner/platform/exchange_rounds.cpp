// Lists the series of each algorithm, and runs through them for the rounds of one rank.
#include "planner/platform/exchange_rounds.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "planner/platform/fold.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

int member_of(const RoundPeers& peers, int position) {
  return position / peers.stride % peers.members;
}

int position_of(const RoundPeers& peers, int position, int member) {
  return position + (member - member_of(peers, position)) * peers.stride;
}

// Returns -1 for a member that is folded, since it has no number in the core.
int partner_of(const RoundPeers& peers, int member) {
  const Fold core(peers.members);
  if (core.is_folded(member)) return -1;
  return core.position_of(core.core_of(member) ^ peers.distance);
}

int receiver_of(const RoundPeers& peers, int member) {
  switch (peers.rule) {
    case PeerRule::fold:
      return Fold(peers.members).is_folded(member) ? member + 1 : -1;
    case PeerRule::partners:
      return partner_of(peers, member);
    case PeerRule::ring:
      return (member + 1) % peers.members;
  }
  throw std::logic_error("unknown rule of peers");
}

int sender_of(const RoundPeers& peers, int member) {
  switch (peers.rule) {
    case PeerRule::fold:
      return Fold(peers.members).takes(member) ? member - 1 : -1;
    case PeerRule::partners:
      return partner_of(peers, member);
    case PeerRule::ring:
      return (member + peers.members - 1) % peers.members;
  }
  throw std::logic_error("unknown rule of peers");
}

RoundSeries ring_of(int members, int stride) {
  return {.peers = {.rule = PeerRule::ring, .members = members, .stride = stride},
          .rounds = members - 1,
          .parts = members};
}

void add_fold(int members, std::vector<RoundSeries>& series) {
  if (Fold(members).folded > 0) {
    series.push_back({.peers = {.rule = PeerRule::fold, .members = members}});
  }
}

// Appends the series of all distances in the core, neighbours first.
void add_partners(RoundSeries form, std::vector<RoundSeries>& series) {
  const Fold core(form.peers.members);
  form.peers.rule = PeerRule::partners;
  for (int distance = 1; distance < core.core_ranks; distance *= 2) {
    form.peers.distance = distance;
    series.push_back(form);
  }
}

void add_halves(int members, int stride, std::vector<RoundSeries>& series) {
  add_partners({.peers = {.members = members, .stride = stride}, .parts = 2}, series);
}

void add_hierarchy(int ranks, int inside, std::vector<RoundSeries>& series) {
  const int nodes = ranks / inside;
  if (inside > 1) series.push_back(ring_of(inside, 1));
  if (nodes == 1) return;
  if (Fold(nodes).folded == 0) {
    add_halves(nodes, inside, series);
  } else {
    series.push_back(ring_of(nodes, inside));
  }
}

Range slice(const Range& whole, int parts, int part) {
  const Range within = block_range(whole.size(), parts, part);
  return {whole.begin + within.begin, whole.begin + within.end};
}

struct Message {
  int peer = -1;
  Range range;
};

// Collects the rounds of one position.
class PositionRounds {
 public:
  PositionRounds(std::vector<RoundSeries> series, int position)
      : series_(std::move(series)), position_(position) {}

  std::vector<ExchangeRound> of(const Range& all) && {
    run(0, all);
    return std::move(rounds_);
  }

 private:
  // Runs the series from `index` on: its rounds that add, the later series, and its way back.
  void run(std::size_t index, const Range& range) {
    if (index == series_.size()) return;
    switch (series_[index].peers.rule) {
      case PeerRule::fold:
        return run_fold(index, range);
      case PeerRule::partners:
        return run_partners(index, range);
      case PeerRule::ring:
        return run_ring(index, range);
    }
  }

  void run_fold(std::size_t index, const Range& range) {
    const Message out{sends_to(series_[index].peers, position_), range};
    const Message in{receives_from(series_[index].peers, position_), range};
    add(out, in, true);
    if (out.peer < 0) run(index + 1, range);
    add(in, out, false);
  }

  // A rank gives one part of the range away, and later rounds sum the kept part over other ranks.
  void run_partners(std::size_t index, const Range& range) {
    const RoundSeries& series = series_[index];
    const RoundPeers& peers = series.peers;
    const int peer = sends_to(peers, position_);
    const int number = Fold(peers.members).core_of(member_of(peers, position_));
    const int part = (number & peers.distance) != 0 ? series.parts - 1 : 0;
    const Range kept = slice(range, series.parts, part);
    const Range given = slice(range, series.parts, series.parts - 1 - part);
    add({peer, given}, {peer, kept}, true);
    run(index + 1, kept);
    if (series.returns) add({peer, kept}, {peer, given}, false);
  }

  // Slices travel along the ring and grow into sums; finished slices travel along it again.
  void run_ring(std::size_t index, const Range& range) {
    const RoundSeries& series = series_[index];
    const Message out{sends_to(series.peers, position_), {}};
    const Message in{receives_from(series.peers, position_), {}};
    const int own = member_of(series.peers, position_);
    const auto behind = [&](int places) {
      return slice(range, series.parts, (own - places + series.parts) % series.parts);
    };
    for (int round = 1; round <= series.rounds; ++round) {
      add({out.peer, behind(round)}, {in.peer, behind(round + 1)}, true);
    }
    run(index + 1, behind(0));
    for (int round = 0; series.returns && round < series.rounds; ++round) {
      add({out.peer, behind(round)}, {in.peer, behind(round + 1)}, false);
    }
  }

  void add(const Message& sent, const Message& received, bool adds) {
    ExchangeRound round;
    if (sent.peer >= 0 && sent.range.size() > 0) {
      round.send_to = sent.peer;
      round.sent = sent.range;
    }
    if (received.peer >= 0 && received.range.size() > 0) {
      round.receive_from = received.peer;
      round.received = received.range;
      round.adds = adds;
    }
    if (round.send_to >= 0 || round.receive_from >= 0) rounds_.push_back(round);
  }

  std::vector<RoundSeries> series_;
  int position_;
  std::vector<ExchangeRound> rounds_;
};

}  // namespace

int sends_to(const RoundPeers& peers, int position) {
  const int receiver = receiver_of(peers, member_of(peers, position));
  return receiver < 0 ? -1 : position_of(peers, position, receiver);
}

int receives_from(const RoundPeers& peers, int position) {
  const int sender = sender_of(peers, member_of(peers, position));
  return sender < 0 ? -1 : position_of(peers, position, sender);
}

int adding_rounds(const RoundSeries& series, CollectiveKind kind) {
  return kind == CollectiveKind::allgather ? 0 : series.rounds;
}

int round_count(const RoundSeries& series, CollectiveKind kind) {
  const bool goes_back = series.returns && kind != CollectiveKind::reduce_scatter;
  return adding_rounds(series, kind) + (goes_back ? series.rounds : 0);
}

RoundSeries ring_series(int ranks) {
  return ring_of(ranks, 1);
}

std::vector<RoundSeries> round_series(AllreduceAlgorithm algorithm, int ranks, int ranks_per_node) {
  std::vector<RoundSeries> series;
  switch (algorithm) {
    case AllreduceAlgorithm::ring:
      return {ring_series(ranks)};
    case AllreduceAlgorithm::recursive_doubling:
      add_fold(ranks, series);
      add_partners({.peers = {.members = ranks}, .returns = false}, series);
      return series;
    case AllreduceAlgorithm::rabenseifner:
      add_fold(ranks, series);
      add_halves(ranks, 1, series);
      return series;
    case AllreduceAlgorithm::hierarchical:
      add_hierarchy(ranks, ranks_per_node, series);
      return series;
    case AllreduceAlgorithm::library:
      break;
  }
  throw std::logic_error("the rounds of the library's allreduce are unknown");
}

std::vector<ExchangeRound> exchange_rounds(const ExchangeShape& shape, int position) {
  PositionRounds rounds(round_series(shape.algorithm, shape.ranks, shape.ranks_per_node), position);
  return std::move(rounds).of({0, shape.elements});
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
