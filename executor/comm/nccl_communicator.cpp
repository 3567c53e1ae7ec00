// Calls NCCL; rank 0 makes the identifier by which ranks find each other, and MPI distributes it.
#include "executor/comm/nccl_communicator.hpp"

#include <cstddef>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <nccl.h>

#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"

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

// Destroying a communicator waits for the other ranks. After an error on this rank they may never
// come, so it is aborted.
struct Destroy {
  void operator()(ncclComm_t comm) const {
    const Wait wait("ncclCommDestroy", *members);
    if (std::uncaught_exceptions() > 0) {
      ncclCommAbort(comm);
    } else {
      ncclCommDestroy(comm);
    }
  }
  const RankList* members = nullptr;
};

ncclDataType_t type_of_sum(ElementType element) {
  return element == ElementType::fp32 ? ncclFloat : ncclDouble;
}

cudaStream_t stream_of(Device& device) {
  return static_cast<cudaStream_t>(device.native_queue());
}

struct OwnShard {
  OwnShard(const NcclValues& values, int rank, int ranks) : elements(values.elements / ranks) {
    if (values.elements % ranks != 0) throw std::logic_error("NCCL's shards are equal");
    data = static_cast<std::byte*>(values.data) +
           rank * (values.elements / ranks) * bytes_of(values.element);
  }
  std::byte* data = nullptr;
  std::size_t elements;
};

std::string bytes_of_new_id(bool is_first) {
  ncclUniqueId id{};
  if (is_first) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  return {id.internal, sizeof(id.internal)};
}

}  // namespace

struct NcclCommunicator::Handle {
  int rank = 0;
  int ranks = 1;
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
  {
    const Wait wait("ncclCommInitRank", members_of(group));
    check_nccl(ncclCommInitRank(&comm, group.size(), id, group.rank()), "ncclCommInitRank");
  }
  own_record().add_device_peers(members_of(group));
  handle_->comm = {comm, Destroy{&members_of(group)}};
  handle_->rank = group.rank();
  handle_->ranks = group.size();
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&&) noexcept = default;
NcclCommunicator& NcclCommunicator::operator=(NcclCommunicator&&) noexcept = default;
NcclCommunicator::~NcclCommunicator() = default;

void NcclCommunicator::allreduce(Device& device, const NcclValues& values) const {
  check_nccl(ncclAllReduce(values.data,
                           values.data,
                           values.elements,
                           type_of_sum(values.element),
                           ncclSum,
                           handle_->comm.get(),
                           stream_of(device)),
             "ncclAllReduce");
}

void NcclCommunicator::reduce_scatter(Device& device, const NcclValues& values) const {
  const OwnShard own(values, handle_->rank, handle_->ranks);
  check_nccl(ncclReduceScatter(values.data,
                               own.data,
                               own.elements,
                               type_of_sum(values.element),
                               ncclSum,
                               handle_->comm.get(),
                               stream_of(device)),
             "ncclReduceScatter");
}

void NcclCommunicator::allgather(Device& device, const NcclValues& values) const {
  const OwnShard own(values, handle_->rank, handle_->ranks);
  check_nccl(ncclAllGather(own.data,
                           values.data,
                           own.elements * bytes_of(values.element),
                           ncclUint8,
                           handle_->comm.get(),
                           stream_of(device)),
             "ncclAllGather");
}

}  // namespace cnnplan
