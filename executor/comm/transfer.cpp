// Runs transfers by persistent MPI requests.
#include "executor/comm/transfer.hpp"

#include <map>
#include <stdexcept>
#include <vector>

#include "executor/comm/cuda_aware.hpp"
#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/transfer_message.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {
namespace {

using BoxesByPeer = std::map<int, std::vector<Box>>;

MPI_Datatype datatype(ElementType element) {
  if (bytes_of(element) == 2) return MPI_UINT16_T;  // MPI has no 16-bit floats; they are only moved
  return element == ElementType::fp32 ? MPI_FLOAT : MPI_DOUBLE;
}

void check(const TransferSpec& spec, int rank) {
  if (spec.tag < 0 || spec.tag >= first_reserved_tag) throw std::logic_error("tag out of range");
  if (spec.source != spec.destination || spec.source == nullptr) return;
  if (spec.zero_first) throw std::logic_error("a transfer would clear what it sends");
  for (const Piece& piece : spec.list.sends) {
    if (spec.accumulate && piece.peer == rank) {
      throw std::logic_error("a transfer would add a block to itself");
    }
  }
}

BoxesByPeer by_peer(const std::vector<Piece>& pieces) {
  BoxesByPeer boxes;
  for (const Piece& piece : pieces) {
    if (!is_empty(piece.box)) boxes[piece.peer].push_back(piece.box);
  }
  return boxes;
}

// The check is needed because MPI refuses an empty list of requests.
void start_all(std::vector<MPI_Request>& requests) {
  if (requests.empty()) return;
  check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
}

// The requests of all messages that a transfer sends, and the ranks that receive them.
struct SendRequests {
  std::vector<MPI_Request> all;
  const RankList* peers = nullptr;
};

void wait_all(SendRequests& requests) {
  if (requests.all.empty()) return;
  const Wait wait("MPI_Waitall", *requests.peers);
  check_mpi(
      MPI_Waitall(static_cast<int>(requests.all.size()), requests.all.data(), MPI_STATUSES_IGNORE),
      "MPI_Waitall");
}

// Says from which rank a message comes, and whether it has come.
struct Receipt {
  const RankList* from = nullptr;
  bool has_arrived = false;
};

// A received piece is copied or added as soon as its message has arrived.
struct Unpack {
  int message = -1;  // index of the receive; -1: the piece comes from this rank itself
  BoxCopy copy;
};

}  // namespace

struct Transfer::State {
  State(const Communicator& communicator, const TransferSpec& spec);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add_sends(const Communicator& communicator, const BoxesByPeer& boxes);
  void add_receives(const Communicator& communicator, const BoxesByPeer& boxes);
  void add_unpacks(int rank);
  void start();
  void finish();
  void receive(std::size_t index);

  TransferSpec spec;
  MessageMemory memory;
  std::unique_ptr<Event> packed;
  BoxBuffer source;
  BoxBuffer destination;
  std::vector<TransferMessage> sends;
  std::vector<TransferMessage> receives;
  SendRequests send_requests;
  std::vector<MPI_Request> receive_requests;
  std::vector<Receipt> receipts;  // by receive
  std::vector<BoxCopy> packs;
  std::vector<Unpack> unpacks;  // in the order of the list
};

Transfer::State::State(const Communicator& communicator, const TransferSpec& transfer)
    : spec(transfer),
      memory{.device = spec.device, .mirrored = !spec.device->is_host() && !mpi_is_cuda_aware()},
      packed(spec.device->make_event()),
      source{.data = spec.source, .box = spec.source_box, .element = spec.element},
      destination{.data = spec.destination, .box = spec.destination_box, .element = spec.element} {
  check(spec, communicator.rank());
  BoxesByPeer sent = by_peer(spec.list.sends);
  BoxesByPeer received = by_peer(spec.list.receives);
  const int rank = communicator.rank();
  if (sent[rank] != received[rank]) throw std::logic_error("a rank sends itself other blocks");
  sent.erase(rank);
  received.erase(rank);
  add_receives(communicator, received);
  add_sends(communicator, sent);
  add_unpacks(rank);
}

Transfer::State::~State() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (MPI_Request& request : send_requests.all) MPI_Request_free(&request);
  for (MPI_Request& request : receive_requests) MPI_Request_free(&request);
}

void Transfer::State::add_sends(const Communicator& communicator, const BoxesByPeer& boxes) {
  RankList peers;
  for (const auto& [peer, peer_boxes] : boxes) {
    peers.push_back(members_of(communicator).at(peer));
    const TransferMessage& message = sends.emplace_back(peer, peer_boxes, source, true, memory);
    for (const TensorView& staged : message.staged()) {
      packs.push_back(make_box_copy(staged, view_of(source, staged.box), spec.element));
    }
    check_mpi(MPI_Send_init(message.mpi_data(),
                            message_count(message.elements()),
                            datatype(spec.element),
                            peer,
                            spec.tag,
                            communicator.handle().comm,
                            &send_requests.all.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Send_init");
  }
  send_requests.peers = &lasting(peers);
}

void Transfer::State::add_receives(const Communicator& communicator, const BoxesByPeer& boxes) {
  for (const auto& [peer, peer_boxes] : boxes) {
    receipts.push_back({.from = &peer_list(communicator, peer)});
    const bool in_place = !spec.accumulate;
    const TransferMessage& message =
        receives.emplace_back(peer, peer_boxes, destination, in_place, memory);
    check_mpi(MPI_Recv_init(message.mpi_data(),
                            message_count(message.elements()),
                            datatype(spec.element),
                            peer,
                            spec.tag,
                            communicator.handle().comm,
                            &receive_requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Recv_init");
  }
}

void Transfer::State::add_unpacks(int rank) {
  std::map<int, int> message_of;
  for (const TransferMessage& message : receives) {
    message_of[message.peer()] = static_cast<int>(message_of.size());
  }
  std::map<int, std::size_t> next_piece;
  for (const Piece& piece : spec.list.receives) {
    if (is_empty(piece.box)) continue;
    const TensorView to = view_of(destination, piece.box);
    if (piece.peer == rank) {
      unpacks.push_back({-1, make_box_copy(to, view_of(source, piece.box), spec.element)});
      continue;
    }
    const int index = message_of.at(piece.peer);
    const auto& staged = receives[index].staged();
    if (staged.empty()) continue;
    const TensorView& from = staged[next_piece[piece.peer]++];
    unpacks.push_back({index, make_box_copy(to, from, spec.element)});
  }
}

void Transfer::State::receive(std::size_t index) {
  MPI_Request& request = receive_requests[index];
  Receipt& receipt = receipts[index];
  if (receipt.has_arrived) return;
  {
    const Wait wait("MPI_Wait", *receipt.from);
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  receives[index].copy_from_mirror(*spec.device);
  receipt.has_arrived = true;
}

void Transfer::State::start() {
  if (spec.zero_first && spec.destination != nullptr) {
    spec.device->clear(spec.destination, volume(spec.destination_box) * bytes_of(spec.element));
  }
  for (Receipt& receipt : receipts) receipt.has_arrived = false;
  // Mirrors can receive at any time. Device buffers can receive only after earlier work in the
  // queue has finished with them.
  if (memory.mirrored || spec.device->is_host()) start_all(receive_requests);
  for (const BoxCopy& pack : packs) spec.device->copy(pack);
  for (const TransferMessage& message : sends) message.copy_to_mirror(*spec.device);
  packed->record();
}

void Transfer::State::finish() {
  if (!sends.empty() || !receives.empty()) {
    const DeviceWait wait;
    packed->synchronize();
  }
  if (!memory.mirrored && !spec.device->is_host()) start_all(receive_requests);
  start_all(send_requests.all);
  for (const Unpack& unpack : unpacks) {
    if (unpack.message >= 0) receive(unpack.message);
    spec.accumulate ? spec.device->add(unpack.copy) : spec.device->copy(unpack.copy);
  }
  for (std::size_t index = 0; index < receives.size(); ++index) receive(index);
  wait_all(send_requests);
}

Transfer::Transfer(const Communicator& communicator, const TransferSpec& spec)
    : state_(std::make_unique<State>(communicator, spec)) {}
Transfer::Transfer(Transfer&&) noexcept = default;
Transfer& Transfer::operator=(Transfer&&) noexcept = default;
Transfer::~Transfer() = default;

void Transfer::start() {
  state_->start();
}

void Transfer::finish() {
  state_->finish();
}

std::int64_t Transfer::buffer_bytes() const {
  std::int64_t bytes = 0;
  for (const TransferMessage& message : state_->sends) bytes += message.staging_bytes();
  for (const TransferMessage& message : state_->receives) bytes += message.staging_bytes();
  return bytes;
}

}  // namespace cnnplan
