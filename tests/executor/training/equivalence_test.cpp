// Random networks under random plans on 1 to 4 ranks: every plan computes what one rank computes.
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/model/random_network.hpp"

namespace cnnplan::test {
namespace {

// When first weights that differ by so little (8 roundings of a float) move the oracle itself by
// more than the tolerance, a ReLU or a maximum is on the edge, and the case says nothing about
// plans.
constexpr double probe = 1e-6;
constexpr double max_unstable_part = 0.02;
// Kernels for which oneDNN has slow code only.
constexpr double max_refused_part = 0.1;

int environment_number(const char* name, int absent) {
  const char* text = std::getenv(name);
  return text == nullptr ? absent : std::atoi(text);
}

struct Case {
  std::uint64_t seed = 0;
  Plan plan;

  Plan in_double() const {
    Plan precise = plan;
    precise.precision = Precision::fp64;
    return precise;
  }
  std::string text(const Communicator& world) const {
    return "\nreplay: CNNPLAN_FIRST_CASE=" + std::to_string(seed) + " CNNPLAN_CASES=1 mpirun -n " +
           std::to_string(world.size()) + " equivalence_test\n" + to_json(plan);
  }
};

enum class Verdict { equal, different, unstable, refused };

class Equivalence {
 public:
  explicit Equivalence(const Communicator& world)
      : world_(world), self_(Communicator::group(world, {world.rank()})) {}

  // The same on all ranks. Collective.
  Verdict check(const Case& random) {
    const std::optional<std::string> refused = refusal(random);
    if (world_.maximum(refused ? 1.0 : 0.0) > 0.0) {
      if (refused) MESSAGE("case " << random.seed << ": " << *refused);
      return Verdict::refused;
    }
    const RunResult floats = run(random.plan, "onednn");
    const RunResult again = run(random.plan, "onednn");
    const RunResult doubles = run(random.in_double(), "reference");
    const bool repeats = floats == again;
    const bool shared = same_on_all_ranks(floats, world_) && same_on_all_ranks(doubles, world_);
    CHECK_MESSAGE(repeats, "a second run differs" << random.text(world_));
    CHECK_MESSAGE(shared, "ranks differ" << random.text(world_));
    const auto verdict = static_cast<std::int64_t>(
        world_.rank() == 0 ? compare(random, floats, doubles) : Verdict::equal);
    return static_cast<Verdict>(world_.broadcast(verdict, 0));
  }

 private:
  RunResult run(const Plan& plan, const std::string& backend) {
    return run_plan(plan, {.backend = backend, .seed = training_seed}, world_);
  }
  RunResult run_alone(const Plan& plan, const std::string& backend, double perturbation = 0.0) {
    return run_plan(on_one_rank(plan),
                    {.backend = backend, .seed = training_seed, .perturbation = perturbation},
                    self_);
  }
  std::optional<std::string> refusal(const Case& random) const {
    const auto refused = refused_kernel(random.plan, "onednn", world_.rank());
    return refused || world_.rank() > 0 ? refused
                                        : refused_kernel(on_one_rank(random.plan), "onednn", 0);
  }

  Verdict compare(const Case& random, const RunResult& floats, const RunResult& doubles) {
    const RunResult oracle = run_alone(random.in_double(), "reference");
    const RunResult alone = run_alone(random.plan, "onednn");
    const Difference exact = largest_difference(doubles, oracle);
    CHECK_MESSAGE(
        exact.size <= double_tolerance,
        exact.tensor << " is off by " << exact.size << " in double" << random.text(world_));
    const Difference to_oracle = largest_difference(floats, oracle);
    const Difference to_alone = largest_difference(floats, alone);
    if (to_oracle.size <= float_tolerance && to_alone.size <= float_tolerance) {
      return exact.size <= double_tolerance ? Verdict::equal : Verdict::different;
    }
    if (is_unstable(random, oracle)) return Verdict::unstable;
    CHECK_MESSAGE(to_oracle.size <= float_tolerance,
                  to_oracle.tensor << " is off by " << to_oracle.size << random.text(world_));
    CHECK_MESSAGE(
        to_alone.size <= float_tolerance,
        to_alone.tensor << " differs from one rank by " << to_alone.size << random.text(world_));
    return Verdict::different;
  }

  bool is_unstable(const Case& random, const RunResult& oracle) {
    for (const double change : {probe, -probe}) {
      const RunResult moved = run_alone(random.in_double(), "reference", change);
      if (largest_difference(moved, oracle).size > float_tolerance) return true;
    }
    return false;
  }

  static constexpr std::uint64_t training_seed = 7;
  const Communicator& world_;
  Communicator self_;
};

// Together 310. A build with assertions and sanitizers is slow and runs a few.
int wanted_cases(int ranks) {
#ifdef NDEBUG
  constexpr std::array<int, 4> wanted{40, 100, 70, 100};
#else
  constexpr std::array<int, 4> wanted{6, 8, 6, 8};
#endif
  return environment_number("CNNPLAN_CASES", wanted[static_cast<std::size_t>(ranks - 1) % 4]);
}

TEST_CASE("Training: random plans compute what one rank and the reference compute") {
  const Communicator world = Communicator::world();
  Equivalence equivalence(world);
  const int first = environment_number("CNNPLAN_FIRST_CASE", 1000 * world.size());
  const int wanted = wanted_cases(world.size());
  std::map<Verdict, int> counts;
  for (int i = 0; counts[Verdict::equal] < wanted && i < 2 * wanted; ++i) {
    const auto seed = static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i);
    ++counts[equivalence.check({seed, random_plan(seed, world.size())})];
  }
  if (world.rank() == 0) {
    MESSAGE(counts[Verdict::equal] << " cases equal, " << counts[Verdict::refused]
                                   << " refused by oneDNN, " << counts[Verdict::unstable]
                                   << " on an edge");
  }
  CHECK(counts[Verdict::different] == 0);
  CHECK(counts[Verdict::equal] == wanted);
  CHECK(counts[Verdict::unstable] <= max_unstable_part * wanted);
  CHECK(counts[Verdict::refused] <= max_refused_part * wanted);
}

}  // namespace
}  // namespace cnnplan::test
