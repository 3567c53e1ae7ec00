// Writes the operations of each rank, in one pass, into the traces of its processes.
#include "planner/simulate/rank_traces.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "planner/base/parallel.hpp"
#include "planner/simulate/collective_rounds.hpp"
#include "planner/simulate/wire.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

// Returns the number of streams before the streams of lanes. There is one for kernels, and with
// overlap one for halos and one for reductions.
int base_streams(double overlap) {
  return overlap > 0.0 ? 3 : 1;
}

constexpr int allreduce_tag = 0;

using Operations = IndexedVector<OperationIndex, Operation>;
using Streams = IndexedVector<OperationIndex, int>;

struct Signals {
  IndexedVector<OperationIndex, std::vector<int>> after;  // streams that wait for the operation
  // The operation waits for these operations of other streams.
  IndexedVector<OperationIndex, std::vector<OperationIndex>> before;
};

// @pre streams[i] is the stream of operations[i]
Signals signals_between(const Operations& operations, const Streams& streams) {
  Signals signals{.after = decltype(Signals::after)(operations.size()),
                  .before = decltype(Signals::before)(operations.size())};
  for (const OperationIndex i : operations.indices()) {
    for (OperationIndex earlier : operations[i].depends_on) {
      std::vector<int>& told = signals.after[earlier];
      const bool is_told = std::find(told.begin(), told.end(), streams[i]) != told.end();
      if (streams[earlier] == streams[i] || is_told) continue;
      told.push_back(streams[i]);
      signals.before[i].push_back(earlier);
    }
  }
  return signals;
}

// Kernels of lane 0 run one after the other in stream 0. Without overlap, communication does, too.
Streams streams_of(const Operations& operations, double overlap) {
  Streams streams(operations.size(), 0);
  for (const OperationIndex i : operations.indices()) {
    if (operations[i].lane > 0) streams[i] = base_streams(overlap) + operations[i].lane - 1;
    if (overlap <= 0.0 || !is_communication(operations[i])) continue;
    if (operations[i].stream == Stream::halo) streams[i] = 1;
    if (operations[i].stream == Stream::reduce) streams[i] = 2;
  }
  return streams;
}

int most_lanes(std::span<const PricedSchedule> schedules) {
  int most = 1;
  for (const PricedSchedule& priced : schedules) most = std::max(most, priced.schedule.lanes);
  return most;
}

// Counts the gaps between the messages of one transfer in one direction.
class Gaps {
 public:
  Gaps(const Platform& platform, int rank) : platform_(platform), rank_(rank) {}

  // Returns the seconds between this message and the message before it.
  double before(int peer) {
    const double gap_s = any_ ? level_between(platform_, rank_, peer).gap_s : 0.0;
    any_ = true;
    sum_s_ += gap_s;
    return gap_s;
  }
  bool any() const { return any_; }
  double sum_s() const { return sum_s_; }

 private:
  const Platform& platform_;
  int rank_;
  bool any_ = false;
  double sum_s_ = 0.0;
};

// Holds the bytes that each peer gets from a rank in one transfer, or sends to it.
using PeerBytes = std::unordered_map<int, double>;

PeerBytes bytes_by_peer(const std::vector<PeerMessage>& messages, std::int64_t element_bytes) {
  PeerBytes bytes;
  for (const PeerMessage& message : messages) {
    bytes[message.peer] = static_cast<double>(message.elements * element_bytes);
  }
  return bytes;
}

class RankWriter {
 public:
  // `lanes` is the largest number of lanes of a rank.
  RankWriter(const PricedSchedule& priced,
             const Platform& platform,
             KnownLinks& links,
             const TraceOptions& options,
             int lanes)
      : schedule_(priced.schedule),
        prices_(priced.prices),
        platform_(platform),
        links_(links),
        options_(options),
        streams_(streams_of(schedule_.operations, options.overlap)) {
    const int streams = base_streams(options.overlap) + lanes - 1;
    for (int stream = 0; stream < streams; ++stream) {
      traces_.emplace_back(process(schedule_.rank, stream));
    }
  }

  // Returns the traces by stream.
  std::vector<Trace> write() && {
    const Signals signals = signals_between(schedule_.operations, streams_);
    const int rank = schedule_.rank;
    for (Trace& trace : traces_) trace.compute(options_.begin_s);
    for (const OperationIndex i : streams_.indices()) {
      Trace& trace = traces_[streams_[i]];
      for (OperationIndex earlier : signals.before[i]) {
        trace.await(process(rank, streams_[earlier]), earlier);
      }
      write(i);
      for (int stream : signals.after[i]) trace.signal(process(rank, stream), i);
      const bool is_beside = streams_[i] > 0 && is_communication(schedule_.operations[i]);
      if (is_beside) traces_[0].compute((1.0 - options_.overlap) * prices_[i].seconds);
    }
    return std::move(traces_);
  }

 private:
  int process(int rank, int stream) const { return stream * schedule_.ranks + rank; }

  void write(OperationIndex index) {
    const int stream = streams_[index];
    const OperationBody& body = schedule_.operations[index].body;
    if (const auto* transfer = std::get_if<TransferOperation>(&body)) {
      write(*transfer, stream);
    } else if (const auto* collective = std::get_if<CollectiveOperation>(&body)) {
      write(*collective, stream);
    } else {
      traces_[stream].compute(prices_[index].seconds);
    }
  }

  void write(const TransferOperation& transfer, int stream) {
    Trace& trace = traces_[stream];
    const TransferTraits traits = traits_of(schedule_, transfer);
    const TransferTime time = transfer_time(platform_, transfer.list, schedule_.rank, traits);
    const auto receives = messages_of(transfer.list.receives, traits.destination_box);
    const auto sends = messages_of(transfer.list.sends, traits.source_box);
    const PeerBytes from = bytes_by_peer(receives, traits.element_bytes);
    const PeerBytes to = bytes_by_peer(sends, traits.element_bytes);
    trace.compute(time.pack_s);
    Gaps received(platform_, schedule_.rank);
    for (const PeerMessage& message : receives) {
      if (message.peer == schedule_.rank) continue;
      trace.irecv(on_wire(plain(message.peer, from, to), transfer.tag, stream));
      received.before(message.peer);
    }
    Gaps sent(platform_, schedule_.rank);
    for (const PeerMessage& message : sends) {
      if (message.peer == schedule_.rank) continue;
      trace.compute(sent.before(message.peer));
      trace.isend(on_wire(plain(message.peer, to, from), transfer.tag, stream));
    }
    if (received.any() || sent.any()) trace.waitall();
    trace.compute(std::max(0.0, received.sum_s() - sent.sum_s()) + time.unpack_s);
  }

  void write(const CollectiveOperation& collective, int stream) {
    Trace& trace = traces_[stream];
    const GroupLinks& links =
        links_.of(collective.group, schedule_.ranks, collective.ranks_per_node);
    for (const Round& round : collective_rounds(platform_, links, collective, schedule_.rank)) {
      const auto& [send_after_s, send, receive, add_s] = round;
      if (receive.peer >= 0) trace.irecv(on_wire(receive, allreduce_tag, stream));
      trace.compute(send_after_s);
      if (send.peer >= 0) trace.isend(on_wire(send, allreduce_tag, stream));
      trace.waitall();
      trace.compute(add_s);
    }
  }

  // Returns one message of the model, from `messages`. Links are equal in both directions.
  RoundMessage plain(int peer, const PeerBytes& messages, const PeerBytes& opposite) const {
    const double bytes = messages.at(peer);
    const auto back = opposite.find(peer);
    const Level& level = level_between(platform_, schedule_.rank, peer);
    return {
        peer, bytes, transfer_message_s(level, bytes, back == opposite.end() ? 0.0 : back->second)};
  }

  TraceMessage on_wire(const RoundMessage& message, int tag, int stream) const {
    const Level& level = level_between(platform_, schedule_.rank, message.peer);
    return {.process = process(message.peer, stream),
            .tag = tag,
            .bytes = options_.real_bytes ? std::llround(std::ceil(message.bytes))
                                         : wire_bytes(level, message.seconds)};
  }

  const Schedule& schedule_;
  const IndexedVector<OperationIndex, Price>& prices_;
  const Platform& platform_;
  KnownLinks& links_;
  const TraceOptions& options_;
  Streams streams_;
  std::vector<Trace> traces_;
};

}  // namespace

Traces rank_traces(std::span<const PricedSchedule> schedules,
                   const Platform& platform,
                   const TraceOptions& options) {
  std::vector<std::vector<Trace>> by_rank(schedules.size());
  const int lanes = most_lanes(schedules);
  KnownLinks links(platform);
  parallel_for(schedules.size(), [&](std::size_t rank) {
    by_rank[rank] = RankWriter(schedules[rank], platform, links, options, lanes).write();
  });
  Traces traces{.ranks = static_cast<int>(schedules.size())};
  const std::size_t streams = by_rank.empty() ? 0 : by_rank.front().size();
  for (std::size_t stream = 0; stream < streams; ++stream) {
    for (int rank = 0; rank < traces.ranks; ++rank) {
      const Trace& trace = traces.processes.emplace_back(std::move(by_rank[rank][stream]));
      traces.messages += trace.messages();
      for (int receiver : trace.receivers()) traces.routes.emplace(rank, receiver % traces.ranks);
    }
  }
  return traces;
}

}  // namespace cnnplan
