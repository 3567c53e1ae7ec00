// Errors of MPI become CommError; communicators are freed exactly once.
#include "executor/comm/mpi_handle.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

const RankList& world_ranks_of(MPI_Comm comm, int size) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group own = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(comm, &own), "MPI_Comm_group");
  RankList ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  RankList world_ranks(size);
  check_mpi(MPI_Group_translate_ranks(own, size, ranks.data(), all, world_ranks.data()),
            "MPI_Group_translate_ranks");
  check_mpi(MPI_Group_free(&own), "MPI_Group_free");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  return lasting(world_ranks);
}

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommError(std::string(call) + ": " + std::string(text.data(), length));
}

int message_count(std::int64_t elements) {
  if (elements < 0 || elements > std::numeric_limits<int>::max()) {
    throw CommError("a message of " + std::to_string(elements) + " elements; at most " +
                    std::to_string(std::numeric_limits<int>::max()) + " fit in one");
  }
  return static_cast<int>(elements);
}

Communicator::Handle::Handle(MPI_Comm owned) : comm(owned) {
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  members = &world_ranks_of(comm, size);
  for (const int member : *members) member_lists.push_back(&lasting(RankList{member}));
}

Communicator::Handle::~Handle() {
  collectives = {};  // a link needs the communicator
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

}  // namespace cnnplan
