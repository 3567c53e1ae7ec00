// Sends and receives the messages of an allreduce in chunks, two of which are under way.
#include "executor/comm/exchange_allreduce.hpp"

#include <algorithm>
#include <stdexcept>

#include "executor/backend/sum_kernels.hpp"
#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/platform/chunk_sizes.hpp"

namespace cnnplan {
namespace {

Range chunk_of(const Range& range, std::int64_t elements, std::int64_t index) {
  const std::int64_t begin = std::min(range.end, range.begin + index * elements);
  return {begin, std::min(range.end, begin + elements)};
}

const RankList& peers_of(const ExchangeRound& round, const RankList& members) {
  RankList peers;
  if (round.receive_from >= 0) peers.push_back(members.at(round.receive_from));
  if (round.send_to >= 0) peers.push_back(members.at(round.send_to));
  return lasting(peers);
}

// Carries out one round on one rank.
template <typename T>
class RoundExchange {
 public:
  using Room = std::array<std::vector<std::byte>, 2>;

  RoundExchange(const ExchangeRound& round,
                const RankList& peers,
                std::span<T> values,
                Room& received,
                MPI_Comm comm)
      : round_(round), peers_(peers), values_(values), received_(received), comm_(comm) {}

  void run() {
    const std::int64_t most = std::max(round_.sent.size(), round_.received.size());
    const std::int64_t chunks = (most + elements - 1) / elements;
    begin(0);
    for (std::int64_t i = 0; i < chunks; ++i) {
      if (i + 1 < chunks) begin(i + 1);
      end(i);
    }
  }

 private:
  static constexpr std::int64_t elements = chunk_bytes_between_nodes / sizeof(T);

  T* target(std::int64_t index, const Range& chunk) {
    if (!round_.adds) return values_.data() + chunk.begin;
    return reinterpret_cast<T*>(received_[index % 2].data());
  }

  void wait(std::int64_t index) {
    const Wait wait("MPI_Waitall", peers_);
    check_mpi(MPI_Waitall(2, requests_[index % 2].data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  static int message_bytes(const Range& chunk) {
    return static_cast<int>(chunk.size() * static_cast<std::int64_t>(sizeof(T)));
  }

  void begin(std::int64_t index) {
    std::array<MPI_Request, 2>& requests = requests_[index % 2];
    requests.fill(MPI_REQUEST_NULL);
    const Range in = chunk_of(round_.received, elements, index);
    if (in.size() > 0) {
      check_mpi(MPI_Irecv(target(index, in),
                          message_bytes(in),
                          MPI_BYTE,
                          round_.receive_from,
                          exchange_tag,
                          comm_,
                          requests.data()),
                "MPI_Irecv");
    }
    const Range out = chunk_of(round_.sent, elements, index);
    if (out.size() > 0) {
      check_mpi(MPI_Isend(values_.data() + out.begin,
                          message_bytes(out),
                          MPI_BYTE,
                          round_.send_to,
                          exchange_tag,
                          comm_,
                          &requests[1]),
                "MPI_Isend");
    }
  }

  // Waits until the chunk is sent and received. The values that were sent may change afterwards.
  void end(std::int64_t index) {
    wait(index);
    const Range in = chunk_of(round_.received, elements, index);
    if (round_.adds) add(values_.data() + in.begin, target(index, in), in.size());
  }

  const ExchangeRound& round_;
  const RankList& peers_;
  std::span<T> values_;
  Room& received_;
  MPI_Comm comm_;
  std::array<std::array<MPI_Request, 2>, 2> requests_{};
};

}  // namespace

ExchangeAllreduce::ExchangeAllreduce(const Communicator& group, const ExchangeShape& shape)
    : group_(group), rounds_(exchange_rounds(shape, group.rank())) {
  for (const ExchangeRound& round : rounds_) peers_.push_back(&peers_of(round, members_of(group)));
  if (shape.ranks != group.size()) throw std::logic_error("rounds for another number of ranks");
  const std::size_t most = shape.elements * sizeof(double);
  for (std::vector<std::byte>& room : received_)
    room.resize(std::min(chunk_bytes_between_nodes, most));
}

void ExchangeAllreduce::sum(std::span<float> values) {
  run(values);
}

void ExchangeAllreduce::sum(std::span<double> values) {
  run(values);
}

template <typename T>
void ExchangeAllreduce::run(std::span<T> values) {
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    const MPI_Comm comm = group_.handle().comm;
    RoundExchange<T>(rounds_[i], *peers_[i], values, received_, comm).run();
  }
}

}  // namespace cnnplan
