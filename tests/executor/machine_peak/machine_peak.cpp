// Measures the limits of cores and memory for scripts/bench, and prints one JSON object.
//
//   usage: machine_peak [--ring]
//
// All ranks compute at the same time, and the slowest gives flops_per_s. With --ring, the object
// also has seconds of an allreduce by number of bytes: ring_s by the ring, and cached_s and
// streamed_s for the ring's copies and adds without waiting for a neighbour. Chunks are written
// through the caches (cached_s) or past them.
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

#include "executor/backend/memory_block.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/ring.hpp"
#include "planner/json/json_writer.hpp"
#include "profiler/repetition_timer.hpp"
#include "tests/executor/machine_peak/fma_peak.hpp"
#include "tests/executor/machine_peak/unsynchronized_link.hpp"

namespace cnnplan {
namespace {

constexpr double peak_budget_s = 1.0;
constexpr std::int64_t least_bytes = std::int64_t{1} << 20;
constexpr std::int64_t most_bytes = std::int64_t{256} << 20;

// Holds links without waiting, whose chunks are written through the caches or past them.
struct Probes {
  explicit Probes(const Communicator& world) : cached(world, false), streamed(world, true) {}
  UnsynchronizedLink cached;
  UnsynchronizedLink streamed;
};

OrderedJson time_ring(const Communicator& world, Probes& probes, std::int64_t bytes) {
  const MemoryBlock memory(bytes);
  const std::span values(reinterpret_cast<float*>(memory.data()),
                         static_cast<std::size_t>(bytes) / sizeof(float));
  const auto pass_over = [&](RingLink& link) {
    return [&world, values, &link] {
      ring_collective(CollectiveKind::allreduce, values, link, world.rank(), world.size());
    };
  };
  const auto ring = [&] { world.allreduce(values, AllreduceAlgorithm::ring); };
  const auto times = time_interleaved(
      world,
      {.budget_s = 0.5, .most_repetitions = 2000},
      {{ring, {}}, {pass_over(probes.cached), {}}, {pass_over(probes.streamed), {}}});
  return {{"bytes", bytes},
          {"ring_s", times[0].median_s},
          {"cached_s", times[1].median_s},
          {"streamed_s", times[2].median_s}};
}

OrderedJson measure(const Communicator& world, bool with_ring) {
  world.barrier();
  OrderedJson found{{"ranks", world.size()},
                    {"flops_per_s", -world.maximum(-fma_peak(peak_budget_s))}};
  if (!with_ring) return found;
  found["ring"] = OrderedJson::array();
  Probes probes(world);
  for (std::int64_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    found["ring"].push_back(time_ring(world, probes, bytes));
  }
  return found;
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  const bool with_ring = argc > 1 && std::string_view(argv[1]) == "--ring";
  return cnnplan::run_program(
      "machine_peak", 0.0, argc, argv, [&](const cnnplan::Communicator& world) {
        const cnnplan::OrderedJson found = cnnplan::measure(world, with_ring);
        if (world.rank() == 0) std::cout << cnnplan::write_json(found);
      });
}
