// Passes blocking and non-blocking messages to MPI.
#include "executor/comm/point_to_point.hpp"

#include <array>

#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {
namespace {

int byte_count(std::span<const std::byte> bytes) {
  return message_count(std::ssize(bytes));
}

}  // namespace

void send(const Communicator& communicator, std::span<const std::byte> bytes, int peer) {
  const Wait wait("MPI_Send", peer_list(communicator, peer));
  check_mpi(MPI_Send(bytes.data(),
                     byte_count(bytes),
                     MPI_BYTE,
                     peer,
                     point_to_point_tag,
                     communicator.handle().comm),
            "MPI_Send");
}

void receive(const Communicator& communicator, std::span<std::byte> bytes, int peer) {
  const Wait wait("MPI_Recv", peer_list(communicator, peer));
  check_mpi(MPI_Recv(bytes.data(),
                     byte_count(bytes),
                     MPI_BYTE,
                     peer,
                     point_to_point_tag,
                     communicator.handle().comm,
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
}

struct PairExchange::State {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const RankList* peer = nullptr;
};

PairExchange::PairExchange(const Communicator& communicator,
                           std::span<const std::byte> sent,
                           std::span<std::byte> received,
                           int peer)
    : state_(std::make_unique<State>()) {
  state_->peer = &peer_list(communicator, peer);
  const MPI_Comm comm = communicator.handle().comm;
  check_mpi(MPI_Irecv(received.data(),
                      byte_count(received),
                      MPI_BYTE,
                      peer,
                      point_to_point_tag,
                      comm,
                      &state_->requests[0]),
            "MPI_Irecv");
  check_mpi(MPI_Isend(sent.data(),
                      byte_count(sent),
                      MPI_BYTE,
                      peer,
                      point_to_point_tag,
                      comm,
                      &state_->requests[1]),
            "MPI_Isend");
}

PairExchange::PairExchange(PairExchange&&) noexcept = default;
PairExchange& PairExchange::operator=(PairExchange&&) noexcept = default;
PairExchange::~PairExchange() = default;

void PairExchange::wait() {
  const Wait wait("MPI_Waitall", *state_->peer);
  check_mpi(MPI_Waitall(2, state_->requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace cnnplan
