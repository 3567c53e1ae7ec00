// Sends the chunks of a ring as MPI messages, and posts their receives ahead.
#include "executor/comm/message_link.hpp"

#include <array>
#include <vector>

#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/platform/chunk_sizes.hpp"

namespace cnnplan {
namespace {

constexpr int message_chunks_in_flight = 4;
constexpr std::size_t slot_count = std::size_t{2} * message_chunks_in_flight;

// The slots are used one after the other. Each has at most one request under way.
struct SlotRing {
  std::vector<std::byte> memory = std::vector<std::byte>(slot_count * chunk_bytes_between_nodes);
  std::array<MPI_Request, slot_count> requests = all_null();
  std::size_t next = 0;  // the number of slots that were used so far

  static std::array<MPI_Request, slot_count> all_null() {
    std::array<MPI_Request, slot_count> null;
    null.fill(MPI_REQUEST_NULL);
    return null;
  }
  std::byte* slot(std::size_t index) {
    return memory.data() + index % slot_count * chunk_bytes_between_nodes;
  }
  MPI_Request& request(std::size_t index) { return requests[index % slot_count]; }
  void wait(std::size_t index, const RankList& peer) {
    const Wait wait("MPI_Wait", peer);
    check_mpi(MPI_Wait(&request(index), MPI_STATUS_IGNORE), "MPI_Wait");
  }
};

class MessageLink final : public RingLink {
 public:
  explicit MessageLink(const Communicator& communicator)
      : comm_(communicator.handle().comm),
        left_(left_of(communicator)),
        right_(right_of(communicator)),
        left_peer_(peer_list(communicator, left_)),
        right_peer_(peer_list(communicator, right_)) {}

  std::size_t chunk_bytes() const override { return chunk_bytes_between_nodes; }
  int chunks_in_flight() const override { return message_chunks_in_flight; }

  void begin(std::size_t) override {}
  bool streams(std::size_t) const override { return false; }

  void expect(std::size_t bytes) override {
    check_mpi(MPI_Irecv(receives_.slot(receives_.next),
                        static_cast<int>(bytes),
                        MPI_BYTE,
                        left_,
                        ring_tag,
                        comm_,
                        &receives_.request(receives_.next)),
              "MPI_Irecv");
    ++receives_.next;
  }

  std::byte* outgoing() override {
    sends_.wait(sends_.next, right_peer_);
    return sends_.slot(sends_.next);
  }

  void send(std::size_t bytes) override {
    check_mpi(MPI_Isend(sends_.slot(sends_.next),
                        static_cast<int>(bytes),
                        MPI_BYTE,
                        right_,
                        ring_tag,
                        comm_,
                        &sends_.request(sends_.next)),
              "MPI_Isend");
    ++sends_.next;
  }

  const std::byte* incoming() override {
    receives_.wait(released_, left_peer_);
    return receives_.slot(released_);
  }

  void release() override { ++released_; }

  void end() override {
    for (std::size_t i = 0; i < slot_count; ++i) sends_.wait(i, right_peer_);
  }

 private:
  MPI_Comm comm_;
  int left_;
  int right_;
  const RankList& left_peer_;
  const RankList& right_peer_;
  SlotRing sends_;
  SlotRing receives_;
  std::size_t released_ = 0;
};

}  // namespace

std::unique_ptr<RingLink> make_message_link(const Communicator& communicator) {
  return std::make_unique<MessageLink>(communicator);
}

}  // namespace cnnplan
