// Tests the project's residual chains: losses at the start do not depend on depth, and fall.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/training/trainer.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Returns the losses of a training on one made-up mini-batch, with default weights and learning
// rate.
std::vector<double> losses_of(const std::string& name, const Communicator& world) {
  const Network network = read_network("configs/networks/" + name + ".json");
  const Plan plan = uniform_plan(network, 4, Mesh({{Axis::n, world.size()}}));
  const TrainingOptions options{.backend = tested_backend("onednn"), .steps = 20};
  return train(plan, options, world, {}).loss;
}

}  // namespace

TEST_CASE("train: residual chains of any depth start alike, and learn") {
  const Communicator world = Communicator::world();
  const double shallow = losses_of("residual-16", world).front();
  for (const char* name : {"residual-16", "residual-64", "residual-256"}) {
    CAPTURE(std::string(name));
    const std::vector<double> losses = losses_of(name, world);
    CHECK(losses.front() == relative(shallow, 0.25));
    CHECK(losses.back() < losses.front() / 2);
    for (const double loss : losses) CHECK(loss < 2 * shallow);
  }
}

}  // namespace cnnplan::test
