// Tests that ranks notice when one of them changes its parameters alone.
#include "executor/agreement/replica_check.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/training/trainer.hpp"
#include "executor/verify/decorated_backend.hpp"
#include "planner/base/error.hpp"
#include "planner/plan/plan.hpp"
#include "tests/executor/tested_backend.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t damaged_step = 2;

// Changes the first element of an operand by one rounding, after the update of one step.
class DamagingKernel final : public Kernel {
 public:
  DamagingKernel(std::unique_ptr<Kernel> inner, std::size_t operand)
      : inner_(std::move(inner)), operand_(operand) {}
  void run(Operands operands, const StepState& state) override {
    inner_->run(operands, state);
    if (state.step != damaged_step) return;
    auto& value = *operands[operand_].as<float>();
    value = std::nextafter(value, 1.0F);
  }
  std::string implementation() const override { return inner_->implementation(); }

 private:
  std::unique_ptr<Kernel> inner_;
  std::size_t operand_;
};

class DamagingBackend final : public DecoratedBackend {
 public:
  DamagingBackend(std::unique_ptr<Backend> inner, std::size_t operand)
      : DecoratedBackend(std::move(inner)), operand_(operand) {}
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    std::unique_ptr<Kernel> kernel = inner().make_kernel(spec, constants, implementation);
    if (spec.kind != KernelKind::sgd) return kernel;
    return std::make_unique<DamagingKernel>(std::move(kernel), operand_);
  }

 private:
  std::size_t operand_;
};

// The batch norm normalises over the samples of each rank, so its running values differ.
Plan plan_on(Axis axis, const Communicator& world) {
  Convolution convolution{.filters = 4};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  const Network network("small",
                        {{"input", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                         {"conv", {"input"}, convolution},
                         {"bn", {"conv"}, BatchNorm{}},
                         {"relu", {"bn"}, Relu{}},
                         {"fc", {"relu"}, FullyConnected{.outputs = 4}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  return uniform_plan(network, 4, Mesh({{axis, world.size()}}));
}

TrainingOptions damaged(int damaged_rank, std::size_t operand, const Communicator& world) {
  TrainingOptions options{.backend = test::tested_backend("reference"), .steps = 6};
  options.compare_period = 2;
  options.hooks.backend = [=, rank = world.rank()](std::unique_ptr<Backend> made) {
    if (rank != damaged_rank) return made;
    return std::unique_ptr<Backend>(std::make_unique<DamagingBackend>(std::move(made), operand));
  };
  return options;
}

// Returns the message of a training that found different parameters; empty if it found none.
std::string found(const Plan& plan, const TrainingOptions& options, const Communicator& world) {
  try {
    train(plan, options, world, {});
    return {};
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::wrong_result);
    return error.what();
  }
}

TEST_CASE("ranks that compute alike pass") {
  const Communicator world = Communicator::world();
  for (const Axis axis : {Axis::n, Axis::h, Axis::r}) {
    CHECK(found(plan_on(axis, world), damaged(-1, 0, world), world).empty());
  }
}

TEST_CASE("all ranks hear which tensor differs, where, and by which step") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const int last = world.size() - 1;
  const std::string others = world.size() == 2 ? "rank 0" : "ranks 0-2";
  const std::string ranks = "rank " + std::to_string(last) + " is not what it is on " + others;
  constexpr std::array<std::pair<std::size_t, const char*>, 2> operands{
      {{0, "/fc/weight on "}, {2, "the momentum of /fc/weight on "}}};
  for (const Axis axis : {Axis::n, Axis::r}) {
    for (const auto& [operand, tensor] : operands) {
      const std::string message = found(plan_on(axis, world), damaged(last, operand, world), world);
      CAPTURE(message);
      CHECK(message.find("after 4 steps, " + std::string(tensor) + ranks) == 0);
    }
  }
}

TEST_CASE("ranks do not compare with a period of 0, or what only one of them holds") {
  const Communicator world = Communicator::world();
  TrainingOptions options = damaged(0, 0, world);
  CHECK(found(plan_on(Axis::c, world), options, world).empty());
  options.compare_period = 0;
  CHECK(found(plan_on(Axis::n, world), options, world).empty());
}

TEST_CASE("every bit of every length counts in a hash") {
  std::vector<std::byte> bytes;
  for (int length = 1; length < 200; length += 13) {
    bytes.resize(length, std::byte{7});
    const std::uint64_t whole = hash_of(bytes);
    for (std::byte& byte : bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        byte ^= std::byte{1} << bit;
        CHECK(hash_of(bytes) != whole);
        byte ^= std::byte{1} << bit;
      }
    }
    CHECK(hash_of(bytes) == whole);
    bytes.push_back(std::byte{0});
    CHECK(hash_of(bytes) != whole);
  }
}

}  // namespace
}  // namespace cnnplan
