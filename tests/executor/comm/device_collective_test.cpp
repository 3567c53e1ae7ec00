// Tests sums of values in the memory of an emulated GPU, through pinned memory and by NCCL.
#include "executor/comm/device_collective.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#include "planner/tensor/shard.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan {
namespace {

// Returns a value that is exact in float and different on every rank.
double value_of(int rank, std::size_t i) {
  return static_cast<double>((rank + 1) * static_cast<int>(i % 97 + 1));
}

template <typename T>
std::vector<T> own_values(int rank, std::size_t count) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(value_of(rank, i)));
  return values;
}

template <typename T>
std::vector<T> sums(int ranks, std::size_t count) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0.0;
    for (int rank = 0; rank < ranks; ++rank) sum += value_of(rank, i);
    values.push_back(static_cast<T>(sum));
  }
  return values;
}

// Returns the contents of the device's memory after an allreduce.
template <typename T>
std::vector<T> reduced(Device& device,
                       const Communicator& world,
                       AllreduceAlgorithm algorithm,
                       const NcclCommunicator* nccl,
                       std::size_t count) {
  std::vector<T> values = own_values<T>(world.rank(), count);
  const auto bytes = static_cast<std::int64_t>(count * sizeof(T));
  const MemoryBlock memory = device.allocate(bytes);
  DeviceCollective allreduce(world,
                             {.device = &device,
                              .data = memory.data(),
                              .elements = static_cast<std::int64_t>(count),
                              .element = sizeof(T) == 4 ? ElementType::fp32 : ElementType::fp64,
                              .algorithm = algorithm,
                              .ranks_per_node = world.size() % 2 == 0 ? 2 : 1,
                              .nccl = nccl});
  device.copy_to_device(memory.data(), values.data(), bytes);
  allreduce.run();
  device.copy_to_host(values.data(), memory.data(), bytes);
  device.synchronize();
  return values;
}

template <typename T>
void check_all(Device& device, const Communicator& world, const NcclCommunicator* nccl) {
  for (std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{70'001}}) {
    for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
      CHECK(reduced<T>(device, world, algorithm, nccl, count) == sums<T>(world.size(), count));
    }
  }
}

TEST_CASE("DeviceCollective: values of a GPU are summed through the host") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  check_all<float>(backend->device(), world, nullptr);
  check_all<double>(backend->device(), world, nullptr);
}

// Runs a reduce_scatter, overwrites all other shards, and runs an allgather.
template <typename T>
std::vector<T> scattered_and_gathered(Device& device,
                                      const Communicator& world,
                                      const NcclCommunicator* nccl,
                                      AllreduceAlgorithm algorithm,
                                      std::size_t count) {
  const std::vector<T> values = own_values<T>(world.rank(), count);
  const auto bytes = static_cast<std::int64_t>(count * sizeof(T));
  const MemoryBlock memory = device.allocate(bytes);
  CollectiveSpec spec{.kind = CollectiveKind::reduce_scatter,
                      .device = &device,
                      .data = memory.data(),
                      .elements = static_cast<std::int64_t>(count),
                      .element = sizeof(T) == 4 ? ElementType::fp32 : ElementType::fp64,
                      .algorithm = algorithm,
                      .nccl = nccl};
  device.copy_to_device(memory.data(), values.data(), bytes);
  DeviceCollective(world, spec).run();
  std::vector<T> all(count);
  device.copy_to_host(all.data(), memory.data(), bytes);
  device.synchronize();
  const Range own = shard(spec.elements, world.size(), world.rank());
  std::fill(all.begin(), all.begin() + own.begin, T(-1));
  std::fill(all.begin() + own.end, all.end(), T(-1));
  device.copy_to_device(memory.data(), all.data(), bytes);
  spec.kind = CollectiveKind::allgather;
  DeviceCollective(world, spec).run();
  device.copy_to_host(all.data(), memory.data(), bytes);
  device.synchronize();
  return all;
}

template <typename T>
void check_halves(Device& device,
                  const Communicator& world,
                  const NcclCommunicator* nccl,
                  std::size_t count) {
  for (AllreduceAlgorithm algorithm : {AllreduceAlgorithm::ring, AllreduceAlgorithm::library}) {
    CHECK(scattered_and_gathered<T>(device, world, nccl, algorithm, count) ==
          sums<T>(world.size(), count));
  }
}

TEST_CASE(
    "DeviceCollective: a reduce_scatter leaves shards on a GPU, and an allgather joins them") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  for (std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{70'001}}) {
    check_halves<float>(backend->device(), world, nullptr, count);
    check_halves<double>(backend->device(), world, nullptr, count);
  }
}

TEST_CASE("DeviceCollective: NCCL scatters and gathers shards of equal size") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  const NcclCommunicator nccl(world);
  const auto ranks = static_cast<std::size_t>(world.size());
  for (std::size_t lines : {std::size_t{1}, std::size_t{300}}) {
    check_halves<float>(backend->device(), world, &nccl, 16 * lines * ranks);
    check_halves<double>(backend->device(), world, &nccl, 16 * lines * ranks);
  }
  if (ranks == 1) return;
  CHECK_THROWS_AS(scattered_and_gathered<float>(
                      backend->device(), world, &nccl, AllreduceAlgorithm::library, 16 * ranks + 1),
                  std::logic_error);
}

TEST_CASE("DeviceCollective: values of a GPU are summed by NCCL, without copies to the host") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  const NcclCommunicator nccl(world);
  check_all<float>(backend->device(), world, &nccl);
  check_all<double>(backend->device(), world, &nccl);
  const std::int64_t copies = emulation::counters().copies;
  reduced<float>(backend->device(), world, AllreduceAlgorithm::library, &nccl, 1000);
  CHECK(emulation::counters().copies == copies + 2);  // those of the test itself
}

// Puts a sum of one value in each of two queues. Returns both values when the second sum is done.
std::vector<double> after_second(Device& device,
                                 const Communicator& world,
                                 const NcclCommunicator& first,
                                 const NcclCommunicator& second) {
  const MemoryBlock memory = device.allocate(2 * sizeof(double));
  auto* const values = reinterpret_cast<double*>(memory.data());
  std::vector<double> host{1.0, 1.0};
  device.copy_to_device(values, host.data(), 2 * sizeof(double));
  device.synchronize();
  const auto start = [&](Queue queue, double* value, const NcclCommunicator& nccl) {
    device.select(queue);
    DeviceCollective sum(world,
                         {.device = &device,
                          .data = value,
                          .elements = 1,
                          .element = ElementType::fp64,
                          .algorithm = AllreduceAlgorithm::library,
                          .nccl = &nccl});
    CHECK(!sum.has_finish());
    sum.start();
  };
  start(Queue::reduce, values, first);
  start(Queue::halo, values + 1, second);
  device.copy_to_host(host.data(), values, 2 * sizeof(double));  // after the sum in its queue
  const auto done = device.make_event();
  done->record();
  done->synchronize();
  device.synchronize();
  device.select(Queue::compute);
  return host;
}

TEST_CASE("NcclCommunicator: statistics do not wait for gradients with a communicator each") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  const NcclCommunicator gradients(world);
  const NcclCommunicator statistics(world);
  const double sum = world.size();
  const auto values = [&](const NcclCommunicator& second) {
    return after_second(backend->device(), world, gradients, second);
  };
  CHECK(values(gradients) == std::vector{sum, sum});
  CHECK(values(statistics) == std::vector{1.0, sum});
}

TEST_CASE("NcclCommunicator: ranks that share a GPU are refused with the advice not to use NCCL") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  emulation::reset({.nccl_one_rank_per_device = true});
  const auto backend = make_backend("cudnn");
  CHECK_THROWS_AS(NcclCommunicator{world}, EnvironmentError);
}

// The record keeps the first fault, so this test comes after all others.
TEST_CASE("NcclCommunicator: work that fails is reported, and a call that fails aborts all work") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  Device& device = backend->device();
  const NcclCommunicator nccl(world);
  const MemoryBlock memory = device.allocate(sizeof(double));
  const NcclValues value{.data = memory.data(), .elements = 1, .element = ElementType::fp64};
  look_for_nccl_errors();
  CHECK(!own_record().view().fault);
  world.barrier();  // Other ranks abort below.
  constexpr int system_error = 2;
  emulation::fail("ncclAllReduce", 2, system_error);
  nccl.allreduce(device, value);  // Nothing waits for this sum, so the other ranks do not come.
  CHECK_THROWS_AS(nccl.allreduce(device, value), CommError);
  const DeviceFault expected{.what = "NCCL: ncclAllReduce: unhandled system error"};
  CHECK(own_record().view().fault == expected);
  look_for_nccl_errors();  // asks no communicator that was aborted
  CHECK(emulation::calls("ncclCommAbort") == 1);
}

}  // namespace
}  // namespace cnnplan
