// Tests that the processes of one machine add up through emulated NCCL.
#include <chrono>
#include <functional>
#include <thread>

#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/emulation/fixture.hpp"

namespace cnnplan::test {
namespace {

// Runs the body as every rank, all except the first in processes of their own. Returns true when
// all returned true.
bool on_ranks(int ranks, const std::function<bool(int)>& body) {
  std::vector<pid_t> children;
  for (int rank = 1; rank < ranks; ++rank) {
    children.push_back(fork());
    REQUIRE(children.back() >= 0);
    if (children.back() == 0) _exit(body(rank) ? 0 : 1);
  }
  bool all = body(0);
  for (const pid_t child : children) {
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return all;
}

ncclUniqueId new_id() {
  ncclUniqueId id{};
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  return id;
}

struct Member {
  Member(int ranks, const ncclUniqueId& id, int rank) {
    result = ncclCommInitRank(&comm, ranks, id, rank);
  }
  ncclResult_t result = ncclInternalError;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = new_stream();
  cudaError_t reduce(double* data, std::size_t count) const {
    const auto enqueued = ncclAllReduce(data, data, count, ncclFloat64, ncclSum, comm, stream);
    return enqueued == ncclSuccess ? cudaSuccess : cudaErrorUnknown;
  }
};

// Asks until there is an error, for a few seconds.
ncclResult_t error_of(const Member& member) {
  ncclResult_t error = ncclSuccess;
  for (int looks = 0; error == ncclSuccess && looks < 5000; ++looks) {
    ncclCommGetAsyncError(member.comm, &error);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return error;
}

// Returns two values, each summed in a stream of its own, as they are when the second sum is done.
std::vector<double> after_second(const Member& first, const Member& second) {
  auto* data = device_copy(std::vector<double>{1.0, 1.0});
  cudaStream_t other = new_stream();
  first.reduce(data, 1);
  ncclAllReduce(data + 1, data + 1, 1, ncclFloat64, ncclSum, second.comm, other);
  if (cudaStreamSynchronize(other) != cudaSuccess) return {};
  std::vector<double> values = host_copy(data, 2);  // runs nothing in streams that do not block
  cudaDeviceSynchronize();
  return values;
}

}  // namespace

TEST_CASE("emulated NCCL: sums over 1 to 4 ranks, when the stream is waited for") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (const auto schedule : {emulation::Schedule::lazy, emulation::Schedule::random}) {
      emulation::reset({.schedule = schedule, .seed = 7});
      const ncclUniqueId id = new_id();
      CHECK(on_ranks(ranks, [&](int rank) {
        const Member member(ranks, id, rank);
        auto* data = device_copy(std::vector<double>{1.0 + rank, 10.0});
        bool right = member.result == ncclSuccess;
        for (int i = 0; i < 20; ++i) right = right && member.reduce(data, 1) == cudaSuccess;
        right = right && cudaStreamSynchronize(member.stream) == cudaSuccess;
        double expected = 0.5 * ranks * (ranks + 1);
        for (int i = 1; i < 20; ++i) expected *= ranks;
        const auto values = host_copy(data, 2);
        return right && values[0] == expected && values[1] == 10.0;
      }));
    }
  }
}

TEST_CASE("emulated NCCL: reductions on two streams may be waited for in any order") {
  emulation::reset();
  const ncclUniqueId id = new_id();
  CHECK(on_ranks(2, [&](int rank) {
    const Member member(2, id, rank);
    cudaStream_t other = new_stream();
    auto* first = device_copy(std::vector<float>{1.0F});
    auto* second = device_copy(std::vector<float>{2.0F});
    ncclGroupStart();
    ncclAllReduce(first, first, 1, ncclFloat32, ncclSum, member.comm, member.stream);
    ncclAllReduce(second, second, 1, ncclFloat32, ncclSum, member.comm, other);
    ncclGroupEnd();
    cudaStreamSynchronize(rank == 0 ? member.stream : other);
    cudaDeviceSynchronize();
    return host_copy(first, 1)[0] == 2.0F && host_copy(second, 1)[0] == 4.0F;
  }));
}

TEST_CASE("emulated NCCL: reductions are captured and replayed") {
  emulation::reset();
  const ncclUniqueId id = new_id();
  CHECK(on_ranks(2, [&](int rank) {
    const Member member(2, id, rank);
    auto* data = device_copy(std::vector<double>{1.0});
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(member.stream, cudaStreamCaptureModeGlobal);
    member.reduce(data, 1);
    if (cudaStreamEndCapture(member.stream, &graph) != cudaSuccess) return false;
    if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) return false;
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, member.stream);
    cudaStreamSynchronize(member.stream);
    return host_copy(data, 1)[0] == 8.0;
  }));
}

TEST_CASE("emulated NCCL: two ranks on one device can be refused") {
  for (const bool apart : {true, false}) {
    emulation::reset({.device_count = 2, .nccl_one_rank_per_device = true});
    const ncclUniqueId id = new_id();
    CHECK(on_ranks(2, [&](int rank) {
      cudaSetDevice(apart ? rank : 1);
      return Member(2, id, rank).result == (apart ? ncclSuccess : ncclInvalidUsage);
    }));
  }
}

TEST_CASE("emulated NCCL: a rank that does not come is waited for until the limit or an abort") {
  for (const bool abort : {true, false}) {
    emulation::reset({.nccl_timeout_s = abort ? 60.0 : 0.2});
    const ncclUniqueId id = new_id();
    CHECK(on_ranks(2, [&](int rank) {
      const Member member(2, id, rank);
      if (rank == 1) return !abort || ncclCommAbort(member.comm) == ncclSuccess;
      auto* data = device_copy(std::vector<double>{1.0});
      member.reduce(data, 1);
      // The abort of another rank does not end this rank's work. It must ask for the error.
      std::thread watcher([&] {
        if (abort && error_of(member) == ncclRemoteError) ncclCommAbort(member.comm);
      });
      const bool failed = cudaStreamSynchronize(member.stream) == cudaErrorLaunchFailure;
      watcher.join();
      return failed;
    }));
  }
}

TEST_CASE("emulated NCCL: work that fails does not end, and its error is found by asking") {
  emulation::reset();
  const ncclUniqueId id = new_id();
  CHECK(on_ranks(2, [&](int rank) {
    const Member member(2, id, rank);
    auto* data = device_copy(std::vector<double>{1.0});
    if (rank == 1) emulation::fail("nccl", 1, ncclSystemError);
    member.reduce(data, 1);
    ncclResult_t seen = ncclSuccess;
    std::thread watcher([&] {
      seen = error_of(member);
      ncclCommAbort(member.comm);
    });
    const bool failed = cudaStreamSynchronize(member.stream) == cudaErrorLaunchFailure;
    watcher.join();
    return failed && seen == (rank == 1 ? ncclSystemError : ncclRemoteError);
  }));
}

TEST_CASE("emulated NCCL: sums of one communicator wait for each other on all streams") {
  emulation::reset();
  const ncclUniqueId id = new_id();
  const ncclUniqueId other_id = new_id();
  CHECK(on_ranks(2, [&](int rank) {
    const Member member(2, id, rank);
    const Member apart(2, other_id, rank);
    return after_second(member, member) == std::vector{2.0, 2.0} &&
           after_second(member, apart) == std::vector{1.0, 2.0};
  }));
}

TEST_CASE("emulated NCCL: wrong calls are refused") {
  emulation::reset();
  const Member member(1, new_id(), 0);
  REQUIRE(member.result == ncclSuccess);
  auto* data = device_copy(std::vector<double>{1.0, 2.0, 3.0});
  std::vector<double> host(3);
  const auto reduce = [&](const void* from, void* to, ncclDataType_t type, ncclRedOp_t operation) {
    return ncclAllReduce(from, to, 2, type, operation, member.comm, member.stream);
  };
  CHECK(reduce(data, data, ncclFloat64, ncclSum) == ncclSuccess);
  CHECK(reduce(data, host.data(), ncclFloat64, ncclSum) == ncclInvalidArgument);
  CHECK(reduce(data, data + 1, ncclFloat64, ncclSum) == ncclInvalidUsage);
  CHECK(reduce(data + 2, data + 2, ncclFloat64, ncclSum) == ncclInvalidArgument);
  CHECK(reduce(data, data, ncclInt32, ncclSum) == ncclInvalidArgument);
  CHECK(reduce(data, data, ncclFloat64, ncclMax) == ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
  CHECK(std::string(ncclGetLastError(nullptr)).find("group") != std::string::npos);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(ncclCommDestroy(member.comm) == ncclSuccess);
  CHECK(ncclCommDestroy(member.comm) == ncclInvalidArgument);
}

}  // namespace cnnplan::test
