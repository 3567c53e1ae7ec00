// Calls NCCL; rank 0 makes the identifier by which ranks find each other, and MPI distributes it.
#include "executor/comm/nccl_communicator.hpp"

#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nccl.h>

#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

std::string text_of(ncclResult_t status, const char* call) {
  return std::string("NCCL: ") + call + ": " + ncclGetErrorString(status);
}

// Checks calls that make a communicator.
void check_set_up(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  if (status != ncclInvalidUsage) throw CommError(text_of(status, call));
  const char* const detail = ncclGetLastError(nullptr);
  throw EnvironmentError(text_of(status, call) + " (" + (detail == nullptr ? "" : detail) +
                         "); NCCL refuses ranks that share a GPU: leave --nccl out there");
}

// Knows the communicators of this process that were neither destroyed nor aborted. The watchdog
// asks them for errors while the thread that uses them waits.
class LiveComms {
 public:
  void add(ncclComm_t comm) {
    const std::scoped_lock lock(mutex_);
    comms_.push_back(comm);
  }
  // Returns false if the communicator was aborted, and so is destroyed already.
  bool remove(ncclComm_t comm) {
    const std::scoped_lock lock(mutex_);
    return std::erase(comms_, comm) > 0;
  }
  // Returns ncclSuccess where no work has failed.
  ncclResult_t first_error() {
    const std::scoped_lock lock(mutex_);
    for (ncclComm_t comm : comms_) {
      ncclResult_t error = ncclSuccess;
      const ncclResult_t asked = ncclCommGetAsyncError(comm, &error);
      if (asked != ncclSuccess) return asked;
      if (error != ncclSuccess && error != ncclInProgress) return error;
    }
    return ncclSuccess;
  }
  void abort() {
    std::vector<ncclComm_t> aborted;
    {
      const std::scoped_lock lock(mutex_);
      aborted.swap(comms_);
    }
    for (ncclComm_t comm : aborted) ncclCommAbort(comm);
  }

 private:
  std::mutex mutex_;
  std::vector<ncclComm_t> comms_;
};

// Threads and exceptions reach communicators that they were not given. So the set is global, as is
// the record of the watchdog.
LiveComms& live_comms() {
  static LiveComms live;
  return live;
}

// NCCL says ncclRemoteError where it lost the connection to another rank.
void set_fault(ncclResult_t status, const char* call) {
  own_record().set_fault(
      {.what = text_of(status, call), .is_elsewhere = status == ncclRemoteError});
}

// Checks calls that put work in a queue.
void check_work(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  set_fault(status, call);
  abort_nccl();
  throw CommError(text_of(status, call));
}

// Destroying a communicator waits for the other ranks. After an error on this rank they may never
// come, so it is aborted.
struct Destroy {
  void operator()(ncclComm_t comm) const {
    if (!live_comms().remove(comm)) return;
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
  if (is_first) check_set_up(ncclGetUniqueId(&id), "ncclGetUniqueId");
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

void look_for_nccl_errors() {
  const ncclResult_t error = live_comms().first_error();
  if (error != ncclSuccess) set_fault(error, "work of the GPU");
}

void abort_nccl() {
  live_comms().abort();
}

NcclCommunicator::NcclCommunicator(const Communicator& group)
    : handle_(std::make_unique<Handle>()) {
  const std::string bytes = group.broadcast(bytes_of_new_id(group.rank() == 0), 0);
  ncclUniqueId id{};
  std::memcpy(id.internal, bytes.data(), sizeof(id.internal));
  ncclComm_t comm = nullptr;
  {
    const Wait wait("ncclCommInitRank", members_of(group));
    check_set_up(ncclCommInitRank(&comm, group.size(), id, group.rank()), "ncclCommInitRank");
  }
  live_comms().add(comm);
  own_record().add_device_peers(members_of(group));
  handle_->comm = {comm, Destroy{&members_of(group)}};
  handle_->rank = group.rank();
  handle_->ranks = group.size();
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&&) noexcept = default;
NcclCommunicator& NcclCommunicator::operator=(NcclCommunicator&&) noexcept = default;
NcclCommunicator::~NcclCommunicator() = default;

void NcclCommunicator::allreduce(Device& device, const NcclValues& values) const {
  check_work(ncclAllReduce(values.data,
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
  check_work(ncclReduceScatter(values.data,
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
  check_work(ncclAllGather(own.data,
                           values.data,
                           own.elements * bytes_of(values.element),
                           ncclUint8,
                           handle_->comm.get(),
                           stream_of(device)),
             "ncclAllGather");
}

}  // namespace cnnplan
