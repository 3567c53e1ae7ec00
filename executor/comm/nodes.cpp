// Asks MPI which ranks share memory, and the system for the name of the host.
#include "executor/comm/nodes.hpp"

#include <array>
#include <optional>

#include <unistd.h>

#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {

Nodes find_nodes(const Communicator& communicator) {
  const Communicator::Handle& handle = communicator.handle();
  MPI_Comm comm = MPI_COMM_NULL;
  {
    const Wait wait("MPI_Comm_split_type", *handle.members);
    check_mpi(
        MPI_Comm_split_type(handle.comm, MPI_COMM_TYPE_SHARED, handle.rank, MPI_INFO_NULL, &comm),
        "MPI_Comm_split_type");
  }
  const Communicator::Handle node(comm);
  int first_rank = handle.rank;
  {
    const Wait wait("MPI_Bcast", *handle.members);
    check_mpi(MPI_Bcast(&first_rank, 1, MPI_INT, 0, node.comm), "MPI_Bcast");
  }
  const double most = communicator.maximum(node.size);
  const bool regular = most == node.size && node.rank == handle.rank % node.size;
  return {.ranks_here = node.size,
          .rank_here = node.rank,
          .first_rank = first_rank,
          .regular = communicator.maximum(regular ? 0.0 : 1.0) == 0.0};
}

bool are_on_one_node(const Communicator& communicator) {
  std::optional<bool>& known = communicator.handle().is_on_one_node;
  if (!known) known = find_nodes(communicator).ranks_here == communicator.size();
  return *known;
}

// A send ends for its rank when the system has buffered it. Without this wait, a rank that is ahead
// by one message stays ahead, and the two directions of a link take turns.
void begin_together(const Communicator& communicator, std::int64_t bytes) {
  // At 1 Gbit/s, sending them takes about 100 times as long as the wait.
  constexpr std::int64_t least_bytes = std::int64_t{256} << 10;
  if (communicator.size() == 1 || bytes < least_bytes) return;
  if (!are_on_one_node(communicator)) communicator.barrier();
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace cnnplan
