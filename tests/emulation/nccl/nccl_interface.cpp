// Implements the calls of NCCL.
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <stdexcept>

#include <unistd.h>

#include "tests/emulation/machine.hpp"
#include "tests/emulation/nccl/nccl_comm.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

constexpr const char* kind = "NCCL communicators";

struct NcclError : std::runtime_error {
  NcclError(ncclResult_t code, const std::string& text) : std::runtime_error(text), result(code) {}
  ncclResult_t result;
};

void require(bool condition, ncclResult_t result, const std::string& text) {
  if (!condition) throw NcclError(result, text);
}

// Holds what NCCL keeps per thread. Calls of a group are made when it ends.
struct GroupState {
  int depth = 0;
  std::vector<std::function<void()>> calls;
  std::string last_error;
};
GroupState& group_state() {
  thread_local GroupState state;
  return state;
}

template <typename Body>
ncclResult_t nccl_call(const char* function, Body body) {
  std::unique_lock lock(machine().mutex);
  Machine& all = machine();
  try {
    const int injected = all.injections.next(function);
    require(injected == 0, static_cast<ncclResult_t>(injected), "injected error");
    require(all.options.device_count > 0, ncclUnhandledCudaError, "no device");
    require(all.sticky == cudaSuccess, ncclUnhandledCudaError, "work failed earlier");
    body(lock);
    return ncclSuccess;
  } catch (const NcclError& error) {
    group_state().last_error = std::string(function) + ": " + error.what();
    return error.result;
  } catch (const std::runtime_error& error) {
    group_state().last_error = std::string(function) + ": " + error.what();
    return ncclSystemError;
  }
}

std::shared_ptr<ncclComm> comm_of(ncclComm_t handle) {
  const auto found = machine().library_objects.find(handle);
  const bool known = found != machine().library_objects.end() && found->second.kind == kind;
  require(known, ncclInvalidArgument, "not a communicator");
  return std::static_pointer_cast<ncclComm>(found->second.object);
}

// Blocks until all ranks have come. @throws NcclError when two of them share a device
void meet(ncclComm& comm, const std::string& name) {
  Meeting& meeting = comm.meeting();
  meeting.devices[comm.rank] = comm.device;
  ++meeting.arrived;
  wait_until([&] { return meeting.arrived == comm.ranks; }, comm.is_aborted, [] {});
  bool shared = false;
  for (int other = 0; other < comm.ranks; ++other) {
    shared = shared || (other != comm.rank && meeting.devices[other] == comm.device);
  }
  if (++meeting.seen == comm.ranks) remove_shared_file(name);
  require(!shared || !machine().options.nccl_one_rank_per_device,
          ncclInvalidUsage,
          "two ranks use device " + std::to_string(comm.device));
}

struct Exchange {
  Collective kind;
  Values from;
  void* to;
  std::size_t to_count;
};

// A share at its place in the whole is in place, too.
void check(const ncclComm& comm, const Exchange& what) {
  require(bytes_of(what.from.type) > 0, ncclInvalidArgument, "a data type that is not emulated");
  const std::size_t element_bytes = bytes_of(what.from.type);
  const std::size_t from_bytes = what.from.count * element_bytes;
  const std::size_t to_bytes = what.to_count * element_bytes;
  const DeviceMemory& memory = machine().memory;
  require(memory.holds(what.from.data, from_bytes) && memory.holds(what.to, to_bytes),
          ncclInvalidArgument,
          "a buffer does not lie in an allocation of device memory");
  const auto from = reinterpret_cast<std::uintptr_t>(what.from.data);
  const auto to = reinterpret_cast<std::uintptr_t>(what.to);
  const auto rank = static_cast<std::size_t>(comm.rank);
  const bool scatters = what.kind == Collective::reduce_scatter;
  const bool gathers = what.kind == Collective::all_gather;
  const std::uintptr_t from_place = from + (scatters ? rank * to_bytes : 0);
  const std::uintptr_t to_place = to + (gathers ? rank * from_bytes : 0);
  require(from_place == to_place || from + from_bytes <= to || to + to_bytes <= from,
          ncclInvalidUsage,
          "the buffers overlap and are not the same");
}

// NCCL runs the operations of a communicator in the order of their calls, whatever their streams.
// Here, this holds outside of graphs only.
void follow_last(const ncclComm& comm, CUstream_st& stream) {
  if (stream.capture || !comm.last || comm.last->done) return;
  push_item(stream, nullptr)->after.push_back(comm.last);
}

// The work does not end, and others find out only by asking for the error.
void fail_when_it_runs(ncclComm& comm, int failure) {
  comm.failure = failure;
  comm.wait_for_abort();
}

void enqueue_exchange(const std::shared_ptr<ncclComm>& comm,
                      const Exchange& what,
                      cudaStream_t stream) {
  CUstream_st* found = find_stream(stream);
  require(found != nullptr && found->device == comm->device,
          ncclInvalidArgument,
          "not a stream of the communicator's device");
  const std::size_t operation = comm->operations++;
  const int failure = machine().injections.next("nccl");
  follow_last(*comm, *found);
  const cudaError_t published = submit(stream, [comm, operation, what, failure] {
    if (failure != 0) return fail_when_it_runs(*comm, failure);
    comm->publish(operation, what.from);
  });
  const cudaError_t collected = submit_waiting(
      stream,
      [comm, operation, what] {
        ++machine().counters.kernels;
        comm->collect(operation, what.kind, what.to);
      },
      [comm, operation] { return comm->complete(operation); });
  if (!found->capture) comm->last = found->queue->last;
  require(published == cudaSuccess && collected == cudaSuccess,
          ncclUnhandledCudaError,
          "cannot enqueue");
}

void exchange(const std::shared_ptr<ncclComm>& comm, const Exchange& what, cudaStream_t stream) {
  if (what.from.count == 0) return;
  check(*comm, what);
  if (group_state().depth == 0) return enqueue_exchange(comm, what, stream);
  group_state().calls.push_back([=] { enqueue_exchange(comm, what, stream); });
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return nccl_call(__func__, [&](auto&) {
    require(id != nullptr, ncclInvalidArgument, "no place for the id");
    std::random_device random;
    const std::string name = "/cnnplan-emulation-" + std::to_string(getpid()) + "-" +
                             std::to_string(random()) + std::to_string(random());
    SharedFile::create(name, sizeof(Meeting));
    *id = {};
    name.copy(id->internal, sizeof(id->internal) - 1);
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank) {
  return nccl_call(__func__, [&](std::unique_lock<std::recursive_mutex>& lock) {
    require(handle != nullptr, ncclInvalidArgument, "no place for the communicator");
    require(ranks >= 1 && ranks <= Meeting::max_ranks && rank >= 0 && rank < ranks,
            ncclInvalidArgument,
            "there is no such rank");
    require(group_state().depth == 0, ncclInvalidUsage, "not emulated within a group");
    const std::string name = id.internal;
    auto meeting = SharedFile::open(name);
    require(meeting.has_value(), ncclInvalidArgument, "not an id, or it was used before");
    auto comm = std::make_shared<ncclComm>(std::move(*meeting), name);
    comm->ranks = ranks;
    comm->rank = rank;
    comm->device = thread_state().device;
    lock.unlock();
    meet(*comm, name);
    lock.lock();
    *handle = comm.get();
    machine().library_objects[comm.get()] = {.kind = kind, .object = comm};
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  return nccl_call(__func__, [&](auto&) {
    comm_of(handle);
    machine().library_objects.erase(handle);
  });
}

// Ends every wait of this rank in this communicator. Another thread may call it while one waits.
// Other ranks go on waiting, and find a remote error if they ask.
ncclResult_t ncclCommAbort(ncclComm_t handle) {
  if (handle == nullptr) return ncclInvalidArgument;
  handle->is_aborted = true;
  handle->meeting().aborted = true;
  return nccl_call(__func__, [&](auto&) {
    comm_of(handle);
    machine().library_objects.erase(handle);
  });
}

// NOLINTNEXTLINE(readability-function-size): as many parameters as NCCL gives it
ncclResult_t ncclAllReduce(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t reduction,
                           ncclComm_t handle,
                           cudaStream_t stream) {
  return nccl_call(__func__, [&](auto&) {
    require(reduction == ncclSum, ncclInvalidArgument, "only sums are emulated");
    exchange(comm_of(handle), {Collective::all_reduce, {from, count, type}, to, count}, stream);
  });
}

// NOLINTNEXTLINE(readability-function-size): as many parameters as NCCL gives it
ncclResult_t ncclReduceScatter(const void* from,
                               void* to,
                               std::size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t reduction,
                               ncclComm_t handle,
                               cudaStream_t stream) {
  return nccl_call(__func__, [&](auto&) {
    require(reduction == ncclSum, ncclInvalidArgument, "only sums are emulated");
    const auto comm = comm_of(handle);
    const std::size_t all = count * static_cast<std::size_t>(comm->ranks);
    exchange(comm, {Collective::reduce_scatter, {from, all, type}, to, count}, stream);
  });
}

ncclResult_t ncclAllGather(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t handle,
                           cudaStream_t stream) {
  return nccl_call(__func__, [&](auto&) {
    const auto comm = comm_of(handle);
    const std::size_t all = count * static_cast<std::size_t>(comm->ranks);
    exchange(comm, {Collective::all_gather, {from, count, type}, to, all}, stream);
  });
}

ncclResult_t ncclGroupStart() {
  return nccl_call(__func__, [](auto&) { ++group_state().depth; });
}

ncclResult_t ncclGroupEnd() {
  return nccl_call(__func__, [](auto&) {
    require(group_state().depth > 0, ncclInvalidUsage, "no group was started");
    if (--group_state().depth > 0) return;
    const auto calls = std::move(group_state().calls);
    group_state().calls.clear();
    for (const auto& call : calls) call();
  });
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
  return nccl_call(__func__, [&](auto&) { *count = comm_of(handle)->ranks; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
  return nccl_call(__func__, [&](auto&) { *rank = comm_of(handle)->rank; });
}

// It takes no lock, because another thread may hold the lock while it waits for work.
ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  if (handle == nullptr || error == nullptr) return ncclInvalidArgument;
  *error = static_cast<ncclResult_t>(handle->failure.load());
  if (*error == ncclSuccess && handle->meeting().aborted) *error = ncclRemoteError;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  constexpr std::array texts{"no error",
                             "unhandled cuda error",
                             "unhandled system error",
                             "internal error",
                             "invalid argument",
                             "invalid usage",
                             "remote process exited or there was a network error",
                             "NCCL operation in progress"};
  const auto index = static_cast<std::size_t>(result);
  return index < texts.size() ? texts[index] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
  return group_state().last_error.c_str();
}
