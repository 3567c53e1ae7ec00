// Compares the loss of every backend with plain loops in double.
#include <cmath>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

struct Problem {
  Shape shape;
  Values x, labels;
  std::int64_t margin = 0;
  double loss_count = 1.0;
  double loss_scale = 1.0;
};

struct Results {
  Values probabilities, loss, dx;
};

Results run_both(const Candidate& candidate, const Problem& problem) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec;
  spec.kind = KernelKind::softmax_cross_entropy;
  spec.in = spec.out = problem.shape;
  const KernelConstants constants{.loss_count = problem.loss_count};
  Shape positions = problem.shape;
  positions[Dim::c] = 1;
  Block x = Block::pitched(element, problem.shape, problem.margin).fill(problem.x);
  Block labels = Block::dense(Element::int32, positions).fill(problem.labels);
  Block probabilities = Block::dense(parameter_of(candidate.precision), problem.shape);
  Block loss = flat(Element::fp64, 1);
  spec.phase = KernelPhase::forward;
  run(candidate, spec, constants, {}, {&x, &labels, &probabilities, &loss});
  Block dx = Block::pitched(element, problem.shape, problem.margin);
  spec.phase = KernelPhase::backward_data;
  const StepState state{.loss_scale = problem.loss_scale};
  run(candidate, spec, constants, state, {&probabilities, &labels, &dx});
  CHECK(dx.margin_is_untouched());
  return {probabilities.values(), loss.values(), dx.values()};
}

Problem random_problem(Random& random) {
  Problem problem;
  problem.shape = {
      {random.integer(0, 3), random.integer(1, 40), 1, random.integer(1, 5), random.integer(1, 5)}};
  problem.margin = random.integer(0, 1);
  problem.loss_count = static_cast<double>(random.integer(1, 50));
  problem.x = random.values(volume(problem.shape));
  for (std::int64_t i = 0; i < volume(problem.shape) / problem.shape[Dim::c]; ++i) {
    problem.labels.push_back(static_cast<double>(random.integer(0, problem.shape[Dim::c] - 1)));
  }
  return problem;
}

}  // namespace

// All roundings of such a sum have one sign. Else two splits of an image differ by their number.
TEST_CASE("softmax_cross_entropy: equal losses of many positions add up without loss") {
  for (const Candidate& candidate : candidates()) {
    if (candidate.precision != Precision::fp64) continue;
    INFO(candidate.backend);
    Problem problem{.shape = {{1, 2, 1, 100, 100}}, .loss_count = 1e4};
    problem.x = Values(volume(problem.shape), 0.1);
    problem.labels = Values(10'000, 1.0);
    CHECK(std::abs(run_both(candidate, problem).loss[0] - std::log(2.0)) < 3e-16);
  }
}

TEST_CASE("softmax_cross_entropy: random blocks, per image and per pixel") {
  Random random(1);
  for (int i = 0; i < random_cases(60); ++i) {
    const Problem problem = random_problem(random);
    const Results expected = run_both(oracle(), problem);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(problem.shape));
      const Results actual = run_both(candidate, problem);
      CHECK(difference(actual.probabilities, expected.probabilities) < tolerance_of(candidate));
      CHECK(difference(actual.loss, expected.loss) < tolerance_of(candidate));
      CHECK(difference(actual.dx, expected.dx) < tolerance_of(candidate));
    }
  }
}

TEST_CASE("softmax_cross_entropy: the gradient is multiplied by the loss scale, the loss is not") {
  Random random(2);
  Problem problem{.shape = {{2, 5, 1, 3, 1}}, .labels = {0, 1, 2, 3, 4, 0}, .loss_count = 6.0};
  problem.x = random.values(volume(problem.shape));
  const Results plain = run_both(oracle(), problem);
  problem.loss_scale = 8.0;
  Values expected = plain.dx;
  for (double& value : expected) value *= problem.loss_scale;
  for (const Candidate& candidate : candidates()) {
    const Results scaled = run_both(candidate, problem);
    CHECK(difference(scaled.loss, plain.loss) < tolerance_of(candidate));
    CHECK(difference(scaled.dx, expected) < tolerance_of(candidate));
  }
}

TEST_CASE("softmax_cross_entropy: large logits stay finite") {
  const Problem problem{.shape = {{1, 2, 1, 1, 1}}, .x = {1000.0, -1000.0}, .labels = {1.0}};
  std::vector<Candidate> all = candidates();
  all.push_back(oracle());
  for (const Candidate& candidate : all) {
    const Results results = run_both(candidate, problem);
    CHECK(results.loss[0] == relative(2000.0, 1e-6));
    CHECK(results.dx[0] == relative(1.0, 1e-6));
  }
}

// A GPU cannot throw. Its loss is not a number instead, which ends a training.
TEST_CASE("softmax_cross_entropy: a label outside the classes is named with its range") {
  for (double label : {-1.0, 3.0}) {
    const Problem problem{.shape = {{1, 3, 1, 1, 1}}, .x = {0.0, 0.0, 0.0}, .labels = {label}};
    for (const Candidate& candidate : candidates()) {
      if (candidate.backend == "cudnn") {
        CHECK(std::isnan(run_both(candidate, problem).loss[0]));
        continue;
      }
      try {
        run_both(candidate, problem);
        FAIL("accepted");
      } catch (const std::logic_error& error) {
        const std::string named = "label " + std::to_string(static_cast<int>(label));
        CHECK(std::string(error.what()) == named + " is not in [0, 3)");
      }
    }
  }
}

}  // namespace cnnplan::test
