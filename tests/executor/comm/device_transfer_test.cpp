// Tests transfers and allreduces of an emulated device's memory, which go through pinned memory.
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "executor/backend/cpu_device.hpp"
#include "executor/comm/device_collective.hpp"
#include "executor/comm/transfer.hpp"
#include "planner/tensor/distribution.hpp"
#include "planner/tensor/enumerators.hpp"
#include "profiler/link_memory.hpp"
#include "tests/emulation/device.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

using Floats = std::vector<float>;

constexpr int rounds = 40;

std::int64_t bytes_of_all(const Floats& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(float));
}

MemoryBlock put(Device& device, const Floats& values) {
  MemoryBlock block = device.allocate(bytes_of_all(values));
  device.copy_to_device(block.data(), values.data(), block.size_bytes());
  device.synchronize();
  return block;
}

Floats get(Device& device, const MemoryBlock& block) {
  Floats values(static_cast<std::size_t>(block.size_bytes()) / sizeof(float));
  device.copy_to_host(values.data(), block.data(), block.size_bytes());
  device.synchronize();
  return values;
}

Floats random_floats(std::int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> distribution;
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = distribution(random);
  return values;
}

// Describes a move between two random distributions of a tensor, as this rank sees it.
struct Move {
  TransferSpec spec;
  Floats source;
  Floats destination;
};

Move random_move(int round, const Communicator& world) {
  std::mt19937 random(static_cast<unsigned>(round));  // equal numbers on all ranks
  Shape shape;
  for (std::int64_t& extent : shape.extents) extent = 1 + static_cast<std::int64_t>(random() % 6);
  const auto seed = 2 * static_cast<std::uint64_t>(round);
  const RankBoxes from = RankBoxes({shape, random_mesh(seed, world.size())});
  const RankBoxes to = RankBoxes({shape, random_mesh(seed + 1, world.size())});
  Move move{.spec = {.source_box = from.box(world.rank()),
                     .destination_box = to.box(world.rank()),
                     .list = transfer_list(from, to, world.rank()),
                     .accumulate = round % 3 == 1,
                     .zero_first = round % 2 == 1},
            .source = {},
            .destination = {}};
  std::mt19937 own_random(static_cast<unsigned>(100 * round + world.rank()));
  move.source = random_floats(volume(move.spec.source_box), own_random);
  move.destination = random_floats(volume(move.spec.destination_box), own_random);
  return move;
}

// Runs the move twice, so that memory which is kept is used again.
Floats result_of(const Move& move, Device& device, const Communicator& world) {
  const MemoryBlock source = put(device, move.source);
  const MemoryBlock destination = put(device, move.destination);
  TransferSpec spec = move.spec;
  spec.device = &device;
  spec.source = source.data();
  spec.destination = destination.data();
  Transfer transfer(world, spec);
  transfer.run();
  transfer.run();
  return get(device, destination);
}

const std::array schedules{emulation::Options{},
                           emulation::Options{.schedule = emulation::Schedule::random, .seed = 5},
                           emulation::Options{.schedule = emulation::Schedule::eager}};

}  // namespace

TEST_CASE("Transfer: memory of a device arrives as memory of the host does") {
  const Communicator world = Communicator::world();
  for (const emulation::Options& options : schedules) {
    emulation::reset(options);
    const auto backend = make_backend("cudnn");
    CpuDevice cpu;
    for (int round = 0; round < rounds; ++round) {
      CAPTURE(round);
      const Move move = random_move(round, world);
      CHECK(result_of(move, backend->device(), world) == result_of(move, cpu, world));
    }
  }
}

TEST_CASE(
    "Transfer: the queue continues between start and finish, and its later writes are not sent") {
  const Communicator world = Communicator::world();
  if (world.size() < 2) return;
  emulation::reset();
  const auto backend = make_backend("cudnn");
  Device& device = backend->device();
  const Box box = whole(Shape{{1, 1, 1, 1, 4}});
  const int right = (world.rank() + 1) % world.size();
  const int left = (world.rank() + world.size() - 1) % world.size();
  const MemoryBlock source = put(device, Floats(4, static_cast<float>(world.rank())));
  const MemoryBlock destination = put(device, Floats(4, -1.0F));
  Transfer transfer(world,
                    {.device = &device,
                     .source = source.data(),
                     .source_box = box,
                     .destination = destination.data(),
                     .destination_box = box,
                     .list = {{{right, box}}, {{left, box}}}});
  transfer.start();
  device.clear(source.data(), source.size_bytes());
  transfer.finish();
  CHECK(get(device, destination) == Floats(4, static_cast<float>(left)));
}

TEST_CASE("DeviceCollective: sums of a device are those of hosts, by every algorithm") {
  const Communicator world = Communicator::world();
  for (const emulation::Options& options : schedules) {
    emulation::reset(options);
    const auto backend = make_backend("cudnn");
    Device& device = backend->device();
    for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
      CAPTURE(to_text(algorithm));
      std::mt19937 random(static_cast<unsigned>(world.rank()));
      Floats expected = random_floats(1000, random);
      const MemoryBlock memory = put(device, expected);
      DeviceCollective allreduce(
          world,
          {.device = &device, .data = memory.data(), .elements = 1000, .algorithm = algorithm});
      for (int repetition = 0; repetition < 2; ++repetition) {
        allreduce.run();
        world.allreduce(std::span(expected), algorithm);
      }
      CHECK(get(device, memory) == expected);
    }
  }
}

TEST_CASE("Transfer and allreduce: nothing is left on the device, and a failed copy is reported") {
  const Communicator world = Communicator::world();
  emulation::reset();
  {
    const auto backend = make_backend("cudnn");
    result_of(random_move(0, world), backend->device(), world);
    const LinkMemory link(backend->device(), 64);
    link.fetch(64);
    link.deliver(64);
  }
  CHECK(emulation::leaks().empty());
  const auto backend = make_backend("cudnn");
  const MemoryBlock memory = put(backend->device(), Floats(4));
  DeviceCollective allreduce(world,
                             {.device = &backend->device(), .data = memory.data(), .elements = 4});
  emulation::fail("work", 1, cudaErrorIllegalAddress);
  allreduce.start();
  CHECK_THROWS_AS(allreduce.finish(), DeviceLostError);
}

TEST_CASE("LinkMemory: values are copied unchanged from the device and back") {
  emulation::reset();
  const auto backend = make_backend("cudnn");
  Device& device = backend->device();
  const LinkMemory link(device, 16);
  const Floats values{1.0F, 2.0F, 3.0F, 4.0F};
  device.copy_to_device(link.data(), values.data(), 16);
  link.fetch(16);
  Floats fetched(4);
  std::memcpy(fetched.data(), link.bytes(16).data(), 16);
  CHECK(fetched == values);
  std::memset(link.bytes(16).data(), 0, 8);
  link.deliver(16);
  Floats back(4);
  device.copy_to_host(back.data(), link.data(), 16);
  device.synchronize();
  CHECK(back == Floats{0.0F, 0.0F, 3.0F, 4.0F});
}

}  // namespace cnnplan::test
