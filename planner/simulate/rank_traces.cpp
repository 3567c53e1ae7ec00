// One pass over the operations of each rank, each written into the trace of its process.
#include "planner/simulate/rank_traces.hpp"

#include <algorithm>
#include <cmath>

#include "planner/base/parallel.hpp"
#include "planner/simulate/collective_rounds.hpp"
#include "planner/simulate/wire.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

// Before those of lanes: kernels, and with overlap halos and reductions.
int base_streams(double overlap) {
  return overlap > 0.0 ? 3 : 1;
}

constexpr int allreduce_tag = 0;

// By operation: the streams that wait for it, and the operations of other streams it waits for.
struct Signals {
  std::vector<std::vector<int>> after;
  std::vector<std::vector<OperationIndex>> before;
};

// @pre streams[i] is that of operations[i]
Signals signals_between(std::span<const Operation> operations, std::span<const int> streams) {
  Signals signals{.after = std::vector<std::vector<int>>(operations.size()),
                  .before = std::vector<std::vector<OperationIndex>>(operations.size())};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (OperationIndex index : operations[i].depends_on) {
      const auto earlier = static_cast<std::size_t>(index);
      std::vector<int>& told = signals.after[earlier];
      const bool is_told = std::find(told.begin(), told.end(), streams[i]) != told.end();
      if (streams[earlier] == streams[i] || is_told) continue;
      told.push_back(streams[i]);
      signals.before[i].push_back(index);
    }
  }
  return signals;
}

// 0 for what runs one after the other: kernels of lane 0, and communication where nothing overlaps.
std::vector<int> streams_of(std::span<const Operation> operations, double overlap) {
  std::vector<int> streams(operations.size(), 0);
  for (std::size_t i = 0; i < operations.size(); ++i) {
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

// The gaps between the messages of one transfer, one way.
class Gaps {
 public:
  Gaps(const Platform& platform, int rank) : platform_(platform), rank_(rank) {}

  // Seconds between this message and the one before.
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

class RankWriter {
 public:
  // `lanes`: that the rank with the most has.
  RankWriter(const PricedSchedule& priced,
             const Platform& platform,
             const TraceOptions& options,
             int lanes)
      : schedule_(priced.schedule),
        prices_(priced.prices),
        platform_(platform),
        options_(options),
        streams_(streams_of(schedule_.operations, options.overlap)) {
    const int streams = base_streams(options.overlap) + lanes - 1;
    for (int stream = 0; stream < streams; ++stream) {
      traces_.emplace_back(process(schedule_.rank, stream));
    }
  }

  // By stream.
  std::vector<Trace> write() && {
    const Signals signals = signals_between(schedule_.operations, streams_);
    const int rank = schedule_.rank;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Trace& trace = traces_[static_cast<std::size_t>(streams_[i])];
      for (OperationIndex index : signals.before[i]) {
        trace.await(process(rank, streams_[static_cast<std::size_t>(index)]), index);
      }
      write(i);
      for (int stream : signals.after[i]) {
        trace.signal(process(rank, stream), static_cast<OperationIndex>(i));
      }
      const bool is_beside = streams_[i] > 0 && is_communication(schedule_.operations[i]);
      if (is_beside) traces_[0].compute((1.0 - options_.overlap) * prices_[i].seconds);
    }
    return std::move(traces_);
  }

 private:
  int process(int rank, int stream) const { return stream * schedule_.ranks + rank; }

  void write(std::size_t index) {
    const int stream = streams_[index];
    const OperationBody& body = schedule_.operations[index].body;
    if (const auto* transfer = std::get_if<TransferOperation>(&body)) {
      write(*transfer, stream);
    } else if (const auto* collective = std::get_if<CollectiveOperation>(&body)) {
      write(*collective, stream);
    } else {
      traces_[static_cast<std::size_t>(stream)].compute(prices_[index].seconds);
    }
  }

  void write(const TransferOperation& transfer, int stream) {
    Trace& trace = traces_[static_cast<std::size_t>(stream)];
    const TransferTraits traits = traits_of(schedule_, transfer);
    const TransferTime time = transfer_time(platform_, transfer.list, schedule_.rank, traits);
    const auto bytes = [&](const PeerMessage& message) {
      return static_cast<double>(message.elements * traits.element_bytes);
    };
    trace.compute(time.pack_s);
    Gaps received(platform_, schedule_.rank);
    for (const PeerMessage& message : messages_of(transfer.list.receives, traits.destination_box)) {
      if (message.peer == schedule_.rank) continue;
      trace.irecv(on_wire(plain(message.peer, bytes(message)), transfer.tag, stream));
      received.before(message.peer);
    }
    Gaps sent(platform_, schedule_.rank);
    for (const PeerMessage& message : messages_of(transfer.list.sends, traits.source_box)) {
      if (message.peer == schedule_.rank) continue;
      trace.compute(sent.before(message.peer));
      trace.isend(on_wire(plain(message.peer, bytes(message)), transfer.tag, stream));
    }
    if (received.any() || sent.any()) trace.waitall();
    trace.compute(std::max(0.0, received.sum_s() - sent.sum_s()) + time.unpack_s);
  }

  void write(const CollectiveOperation& collective, int stream) {
    Trace& trace = traces_[static_cast<std::size_t>(stream)];
    for (const Round& round : collective_rounds(platform_, collective, schedule_.rank)) {
      const auto& [send, receive, add_s] = round;
      if (receive.peer >= 0) trace.irecv(on_wire(receive, allreduce_tag, stream));
      if (send.peer >= 0) trace.isend(on_wire(send, allreduce_tag, stream));
      trace.waitall();
      trace.compute(add_s);
    }
  }

  // As one message of the model; links are the same in both directions.
  RoundMessage plain(int peer, double bytes) const {
    return {peer, bytes, message_time_s(platform_, schedule_.rank, peer, bytes)};
  }

  TraceMessage on_wire(const RoundMessage& message, int tag, int stream) const {
    const Level& level = level_between(platform_, schedule_.rank, message.peer);
    return {.process = process(message.peer, stream),
            .tag = tag,
            .bytes = options_.real_bytes ? std::llround(std::ceil(message.bytes))
                                         : wire_bytes(level, message.seconds)};
  }

  const Schedule& schedule_;
  const std::vector<Price>& prices_;
  const Platform& platform_;
  const TraceOptions& options_;
  std::vector<int> streams_;  // by operation
  std::vector<Trace> traces_;
};

}  // namespace

Traces rank_traces(std::span<const PricedSchedule> schedules,
                   const Platform& platform,
                   const TraceOptions& options) {
  std::vector<std::vector<Trace>> by_rank(schedules.size());
  const int lanes = most_lanes(schedules);
  parallel_for(schedules.size(), [&](std::size_t rank) {
    by_rank[rank] = RankWriter(schedules[rank], platform, options, lanes).write();
  });
  Traces traces{.ranks = static_cast<int>(schedules.size())};
  const std::size_t streams = by_rank.empty() ? 0 : by_rank.front().size();
  for (std::size_t stream = 0; stream < streams; ++stream) {
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const Trace& trace = traces.processes.emplace_back(std::move(by_rank[rank][stream]));
      traces.messages += trace.messages();
      for (int receiver : trace.receivers()) {
        traces.routes.emplace(static_cast<int>(rank), receiver % traces.ranks);
      }
    }
  }
  return traces;
}

}  // namespace cnnplan
