// How often operands and runs are repeated.
#include "profiler/cudnn_bench/run_timer.hpp"

#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/device.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::int64_t cache_bytes = std::int64_t{1} << 20;

// A ReLU over `elements` floats reads and writes 4 bytes each.
KernelSpec relu_of(std::int64_t elements) {
  const Shape shape{{1, 1, 1, 1, elements}};
  return {.kind = KernelKind::relu, .in = shape, .out = shape};
}

}  // namespace

TEST_CASE("OperandSets: operands repeat until they take 4 times the cache") {
  const OperandSets sets = operand_sets(relu_of(cache_bytes / 16), -1, cache_bytes);
  CHECK(sets.set_bytes == cache_bytes / 2);
  CHECK(sets.count == 8);
  CHECK(sets.cold);
}

TEST_CASE("OperandSets: large operands exist once, and are cold") {
  const OperandSets sets = operand_sets(relu_of(cache_bytes), -1, cache_bytes);
  CHECK(sets.count == 1);
  CHECK(sets.cold);
}

TEST_CASE("OperandSets: tiny operands stay in the cache, and are said to") {
  const OperandSets sets = operand_sets(relu_of(16), -1, cache_bytes);
  CHECK(sets.count == 32);
  CHECK_FALSE(sets.cold);
}

TEST_CASE("OperandSets: a user may ask for one hot set") {
  const OperandSets sets = operand_sets(relu_of(cache_bytes / 16), 0, cache_bytes);
  CHECK(sets.count == 1);
  CHECK_FALSE(sets.cold);
}

TEST_CASE("add_times: a sample that uses one set of several is not cold") {
  const OperandSets sets = operand_sets(relu_of(cache_bytes / 16), -1, cache_bytes);
  REQUIRE(sets.cold);
  for (int runs_per_sample : {1, sets.count}) {
    OrderedJson line;
    add_times(line, sets, {.runs_per_sample = runs_per_sample});
    CHECK(line.at("cold") == (runs_per_sample == sets.count));
  }
}

TEST_CASE("time_runs: all sets are used equally often, and samples are summed up") {
  emulation::reset();
  CudaDevice device(0);
  const MemoryBlock memory = device.allocate(64);
  for (int sets : {1, 3, 7}) {
    std::vector<int> uses(static_cast<std::size_t>(sets));
    const TimedRuns runs = time_runs(device, sets, 1e-4, [&](int set) {
      ++uses[static_cast<std::size_t>(set)];
      device.clear(memory.data(), memory.size_bytes());
    });
    CHECK(runs.runs_per_sample % sets == 0);
    CHECK(runs.runs_per_sample >= 4);
    uses[0] -= 2;  // the run before the measurement, and the graph of one run
    CHECK(std::set<int>(uses.begin(), uses.end()).size() == 1);
    CHECK(runs.time.count > 1);
    CHECK(runs.time.min_s > 0.0);
  }
}

TEST_CASE("per_second: no time gives no rate") {
  CHECK(per_second(6.0, 2.0) == 3.0);
  CHECK(per_second(6.0, 0.0) == 0.0);
}

}  // namespace cnnplan::cudnn
