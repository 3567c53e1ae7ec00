// Tests that --verify accepts a correct plan, and refuses wrong results.
#include "executor/training/verification.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/hdf5/weights_file.hpp"
#include "planner/schedule/schedule.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

constexpr int cases = 12;

TrainingOptions with_seed(std::uint64_t seed) {
  return {.backend = tested_backend("reference"), .seed = seed};
}

Plan in_double(Plan plan) {
  plan.precision = Precision::fp64;
  return plan;
}

void dump_step(const Plan& plan,
               std::uint64_t seed,
               const std::string& file,
               const Communicator& self) {
  TrainingOptions options = with_seed(seed);
  options.steps = 1;
  options.dump_file = file;
  train(plan, options, self, {});
}

}  // namespace

TEST_CASE("verify: random plans compute what one rank does") {
  const Communicator world = Communicator::world();
  int rounded = 0;  // some networks have no output or gradient that so little changes
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const Plan plan = in_double(random_plan(seed, world.size()));
    const Verification found = verify(plan, with_seed(seed), world, {});
    if (world.rank() > 0) continue;
    INFO(to_json(plan));
    REQUIRE(!found.tensors.empty());
    CAPTURE(found.tensors.front().name);
    CAPTURE(found.limit);
    CAPTURE(found.tensors.front().relative_error);
    CAPTURE(seed);
    CHECK(found.holds());
    CHECK(found.tensors.front().relative_error < 1e-9);
    rounded += found.rounding > 0.0 ? 1 : 0;
  }
  if (world.rank() == 0) CHECK(rounded > cases / 2);
}

TEST_CASE("verify: says what it changes in a plan") {
  const Communicator world = Communicator::world();
  const Network network("norm",
                        {{"input", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"bn", {"input"}, BatchNorm{}},
                         {"fc", {"bn"}, FullyConnected{.outputs = 2}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, world.size(), Mesh({{Axis::n, world.size()}}));
  int notes = 0;
  const auto count = [&](const std::string&) { ++notes; };
  CHECK(verified_plan(plan, count).layers[LayerIndex(1)].statistics == BatchNormStatistics::global);
  CHECK(notes == (world.size() > 1 ? 1 : 0));
  plan.layers[LayerIndex(1)].statistics = BatchNormStatistics::global;
  notes = 0;
  CHECK(verified_plan(plan, count) == plan);
  CHECK(notes == 0);
}

TEST_CASE("compare_dumps: finds equal values, differences, and values that are not finite") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Communicator self = Communicator::group(world, {world.rank()});
  if (world.rank() > 0) return;
  const Plan plan = in_double(on_one_rank(random_plan(3, 1)));
  const auto tensors = dumped_tensors(plan, lower(plan, 0));
  dump_step(plan, 1, folder.path("a.h5"), self);
  dump_step(plan, 2, folder.path("b.h5"), self);
  const auto same = compare_dumps(folder.path("a.h5"), folder.path("a.h5"), tensors);
  CHECK(same.size() < tensors.size());
  CHECK(same.front().relative_error == 0.0);
  const auto other = compare_dumps(folder.path("b.h5"), folder.path("a.h5"), tensors);
  CHECK(other.front().relative_error > 0.1);
  CHECK(other.front().relative_error >= other.back().relative_error);
  CHECK_FALSE(Verification{.tensors = other, .rounding = 1e-16, .limit = 1e-12}.holds());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_FALSE(Verification{.tensors = same, .rounding = infinity, .limit = infinity}.holds());
}

TEST_CASE("compare_dumps: a value that is not a number is infinitely far off") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  if (world.rank() > 0) return;
  const std::vector<DumpedTensor> tensors{
      {"/a/weight_gradient", {2}, DumpedTensor::Kind::gradient},
      {"/b/weight_gradient", {2}, DumpedTensor::Kind::gradient}};
  const auto write = [&](const std::string& file, double last) {
    TensorFileWriter writer(file);
    writer.write("/a/weight_gradient", tensors[0].extents, std::vector{1.0, 2.0}, Precision::fp64);
    writer.write("/b/weight_gradient", tensors[1].extents, std::vector{1.0, last}, Precision::fp64);
    writer.finish();
  };
  write(folder.path("a.h5"), 2.0);
  write(folder.path("b.h5"), std::numeric_limits<double>::quiet_NaN());
  const auto found = compare_dumps(folder.path("b.h5"), folder.path("a.h5"), tensors);
  CHECK(found.front().name == "/b/weight_gradient");
  CHECK(std::isinf(found.front().relative_error));
  CHECK(found.back().relative_error == 0.0);
}

}  // namespace cnnplan::test
