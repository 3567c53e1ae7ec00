// Compares the mean squared error of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

struct Problem {
  Shape shape;
  Values x, targets;
  std::int64_t margin = 0;
  double loss_count = 1.0;
  double loss_scale = 1.0;
};

struct Results {
  Values differences, loss, dx;
};

Results run_both(const Candidate& candidate, const Problem& problem) {
  const Element element = element_of(candidate.precision);
  const Element parameter = parameter_of(candidate.precision);
  KernelSpec spec;
  spec.kind = KernelKind::mean_squared_error;
  spec.in = spec.out = problem.shape;
  const KernelConstants constants{.loss_count = problem.loss_count};
  Block x = Block::pitched(element, problem.shape, problem.margin).fill(problem.x);
  Block targets = Block::dense(parameter, problem.shape).fill(problem.targets);
  Block differences = Block::dense(parameter, problem.shape);
  Block loss = flat(Element::fp64, 1);
  spec.phase = KernelPhase::forward;
  run(candidate, spec, constants, {}, {&x, &targets, &differences, &loss});
  Block dx = Block::pitched(element, problem.shape, problem.margin);
  spec.phase = KernelPhase::backward_data;
  const StepState state{.loss_scale = problem.loss_scale};
  run(candidate, spec, constants, state, {&differences, &dx});
  CHECK(dx.margin_is_untouched());
  return {differences.values(), loss.values(), dx.values()};
}

void check_against_oracle(const Problem& problem) {
  const Results expected = run_both(oracle(), problem);
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend, ": ", to_text(problem.shape));
    const Results actual = run_both(candidate, problem);
    CHECK(difference(actual.differences, expected.differences) < tolerance_of(candidate));
    CHECK(difference(actual.loss, expected.loss) < tolerance_of(candidate));
    CHECK(difference(actual.dx, expected.dx) < tolerance_of(candidate));
  }
}

}  // namespace

TEST_CASE("mean_squared_error: random blocks, some empty") {
  Random random(1);
  for (int i = 0; i < random_cases(60); ++i) {
    Problem problem{.shape = {{random.integer(0, 3),
                               random.integer(1, 40),
                               random.integer(1, 2),
                               random.integer(1, 5),
                               random.integer(1, 5)}},
                    .margin = random.integer(0, 1),
                    .loss_count = static_cast<double>(random.integer(1, 50)),
                    .loss_scale = random.coin() ? 1.0 : 8.0};
    problem.x = random.values(volume(problem.shape));
    problem.targets = random.values(volume(problem.shape));
    check_against_oracle(problem);
  }
}

TEST_CASE("mean_squared_error: by hand, and the loss scale is of the gradient only") {
  const Problem problem{.shape = {{1, 3, 1, 1, 1}},
                        .x = {1.0, 5.0, -2.0},
                        .targets = {2.0, 3.0, -2.0},
                        .loss_count = 4.0,
                        .loss_scale = 16.0};
  const Results results = run_both(oracle(), problem);
  CHECK(results.differences == Values{-1.0, 2.0, 0.0});
  CHECK(results.loss == Values{5.0 / 4.0});
  CHECK(results.dx == Values{-8.0, 16.0, 0.0});
}

}  // namespace cnnplan::test
