// What a communicator is to MPI, and the one check of every MPI call. For this folder only.
#pragma once

#include <cstdint>
#include <memory>

#include <mpi.h>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// `call` names the function that returned `code`. @throws CommError with MPI's own text
void check_mpi(int code, const char* call);

// MPI counts are int. @throws CommError when `elements` is more than one message can carry
int message_count(std::int64_t elements);

// Tags from here on belong to this folder; transfers use those below. MPI guarantees 32767.
inline constexpr int first_reserved_tag = 32760;
inline constexpr int ring_tag = first_reserved_tag;
inline constexpr int point_to_point_tag = first_reserved_tag + 1;
inline constexpr int group_tag = first_reserved_tag + 2;
inline constexpr int exchange_tag = first_reserved_tag + 3;

struct Communicator::Handle {
  // Takes over `owned`: its errors are returned from now on.
  explicit Handle(MPI_Comm owned);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::unique_ptr<RingLink> ring_link;  // made by the first ring allreduce
};

}  // namespace cnnplan
