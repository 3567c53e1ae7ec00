// Tests that ranks notice when one of them changes its parameters alone.
#include "executor/agreement/replica_check.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "executor/verify/decorated_backend.hpp"
#include "planner/base/exit_code.hpp"
#include "tests/executor/agreement/altered_training.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t damaged_step = 3;  // the fourth, after which ranks compare

// Changes the first element of an operand of the updates by one rounding, in one step.
TrainingOptions damaged(int rank, std::size_t operand, const Communicator& world) {
  const auto damage = [operand](Operands operands, const StepState& state) {
    if (state.step != damaged_step) return;
    auto& value = *operands[operand].as<float>();
    value = std::nextafter(value, 1.0F);
  };
  TrainingOptions options =
      altered({.rank = rank,
               .concerns = [](const KernelSpec& spec) { return spec.kind == KernelKind::sgd; },
               .alter = damage},
              world);
  options.compare_period = 2;
  return options;
}

// Has a device of another kind on the last rank.
class OtherDevice final : public DecoratedBackend {
 public:
  OtherDevice(std::unique_ptr<Backend> inner, std::string device)
      : DecoratedBackend(std::move(inner)), device_(std::move(device)) {}
  DeviceFingerprint fingerprint() const override {
    DeviceFingerprint fingerprint = DecoratedBackend::fingerprint();
    fingerprint.device = device_;
    return fingerprint;
  }
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    return inner().make_kernel(spec, constants, implementation);
  }

 private:
  std::string device_;
};

TrainingOptions with_other_device(TrainingOptions options, const Communicator& world) {
  const std::string device = world.rank() + 1 == world.size() ? "newer" : "older";
  options.hooks.backend = [device, inner = options.hooks.backend](std::unique_ptr<Backend> made) {
    return std::make_unique<OtherDevice>(inner ? inner(std::move(made)) : std::move(made), device);
  };
  return options;
}

std::string found(const Plan& plan, const TrainingOptions& options, const Communicator& world) {
  return message_of(plan, options, ExitCode::wrong_result, world);
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
  const std::string others = world.size() == 2 ? "rank 0" : "ranks 0 to 2";
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

TEST_CASE("ranks whose devices may round differently compare sums only") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const TrainingOptions options = with_other_device(damaged(0, 0, world), world);
  CHECK(found(plan_on(Axis::r, world), options, world).empty());
  CHECK(!found(plan_on(Axis::n, world), options, world).empty());
}

TEST_CASE("kernels give equal bits on all ranks if the devices are of one kind") {
  const Communicator world = Communicator::world();
  const auto backend = make_backend("reference", {});
  CHECK(give_equal_bits(*backend, false, world));
  const std::string own = "device of rank " + std::to_string(world.rank());
  OtherDevice other(make_backend("reference", {}), own);
  CHECK(give_equal_bits(other, true, world) == (world.size() == 1));
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
}  // namespace cnnplan::test
