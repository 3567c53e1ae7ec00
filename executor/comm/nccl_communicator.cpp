// Ranks find each other by an identifier that rank 0 makes and MPI distributes.
#include "executor/comm/nccl_communicator.hpp"

#include <cstring>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include <nccl.h>

#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

void check_nccl(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  const std::string said = ncclGetErrorString(status);
  if (status == ncclInvalidUsage) {
    throw EnvironmentError(std::string("NCCL: ") + call + ": " + said +
                           "; it refuses ranks that share a GPU: leave --nccl out there");
  }
  throw CommError(std::string("NCCL: ") + call + ": " + said);
}

// Destroying waits for the other ranks, which an error on this one may have left behind.
struct Destroy {
  void operator()(ncclComm_t comm) const {
    if (std::uncaught_exceptions() > 0) {
      ncclCommAbort(comm);
    } else {
      ncclCommDestroy(comm);
    }
  }
};

std::string bytes_of_new_id(bool is_first) {
  ncclUniqueId id{};
  if (is_first) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  return {id.internal, sizeof(id.internal)};
}

}  // namespace

struct NcclCommunicator::Handle {
  std::unique_ptr<std::remove_pointer_t<ncclComm_t>, Destroy> comm;
};

bool has_nccl() {
  return true;
}

NcclCommunicator::NcclCommunicator(const Communicator& group)
    : handle_(std::make_unique<Handle>()) {
  const std::string bytes = group.broadcast(bytes_of_new_id(group.rank() == 0), 0);
  ncclUniqueId id{};
  std::memcpy(id.internal, bytes.data(), sizeof(id.internal));
  ncclComm_t comm = nullptr;
  check_nccl(ncclCommInitRank(&comm, group.size(), id, group.rank()), "ncclCommInitRank");
  handle_->comm.reset(comm);
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&&) noexcept = default;
NcclCommunicator& NcclCommunicator::operator=(NcclCommunicator&&) noexcept = default;
NcclCommunicator::~NcclCommunicator() = default;

void NcclCommunicator::allreduce(Device& device,
                                 void* data,
                                 std::int64_t elements,
                                 ElementType element) const {
  const ncclDataType_t type = element == ElementType::fp32 ? ncclFloat : ncclDouble;
  check_nccl(ncclAllReduce(data,
                           data,
                           static_cast<std::size_t>(elements),
                           type,
                           ncclSum,
                           handle_->comm.get(),
                           static_cast<cudaStream_t>(device.native_queue())),
             "ncclAllReduce");
}

}  // namespace cnnplan
