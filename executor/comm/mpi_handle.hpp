// Defines the MPI side of a Communicator and the one check of every MPI call. Only this folder
// includes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "executor/comm/communicator.hpp"
#include "executor/comm/value_collectives.hpp"
#include "executor/comm/watch/lasting.hpp"

namespace cnnplan {

// Checks the `code` that the function `call` returned. @throws CommError with MPI's own text
void check_mpi(int code, const char* call);

// Converts a count to the int that MPI takes.
// @throws CommError when one message cannot carry `elements`
int message_count(std::int64_t elements);

// Tags from here on are reserved for the other messages of this folder; a Transfer has a smaller
// one. MPI guarantees tags up to 32767.
inline constexpr int first_reserved_tag = 32760;
inline constexpr int ring_tag = first_reserved_tag;
inline constexpr int point_to_point_tag = first_reserved_tag + 1;
inline constexpr int group_tag = first_reserved_tag + 2;
inline constexpr int exchange_tag = first_reserved_tag + 3;

// Holds the MPI communicator of a Communicator, with what is computed once from it.
struct Communicator::Handle {
  // Takes ownership of `owned`. MPI calls on it then return error codes and do not end the program.
  explicit Handle(MPI_Comm owned);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  // of this process in the communicator
  int size = 1;  // number of ranks of the communicator
  // These lists have the ranks of the whole program that are in the communicator: all of them in
  // one list, and each in a list of its own. They live until the program ends.
  const RankList* members = nullptr;
  std::vector<const RankList*> member_lists;
  ValueCollectives collectives;
  mutable std::optional<bool> is_on_one_node;  // known from the first large collective on
};

// Returns the rank of the whole program that is `rank` in the communicator, as a list for a Wait.
// A rank that is not in the group is left to MPI, which refuses it; then the list has all ranks.
inline const RankList& peer_list(const Communicator& communicator, int rank) {
  const Communicator::Handle& handle = communicator.handle();
  const bool is_member = rank >= 0 && rank < handle.size;
  return is_member ? *handle.member_lists[rank] : *handle.members;
}

}  // namespace cnnplan
