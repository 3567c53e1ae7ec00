// Compares the local response norm of every backend with plain loops in double.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

KernelSpec response_of(const Shape& shape, std::int64_t size) {
  KernelSpec spec;
  spec.kind = KernelKind::local_response_norm;
  spec.in = spec.out = shape;
  spec.local_size = size;
  return spec;
}

struct Problem {
  KernelSpec spec;
  KernelConstants constants;
  Values x;
  Values dy;
};

struct Results {
  Values y;
  Values dx;
};

Results run_both(const Candidate& candidate, const Problem& problem, std::int64_t margin) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec = problem.spec;
  Block x = Block::pitched(element, spec.in, margin).fill(problem.x);
  Block dy = Block::pitched(element, spec.out, margin).fill(problem.dy);
  Block y = Block::pitched(element, spec.out, margin);
  Block dx = Block::pitched(element, spec.in, margin);
  run(candidate, spec, problem.constants, {}, {&x, &y});
  spec.phase = KernelPhase::backward_data;
  run(candidate, spec, problem.constants, {}, {&x, &dy, &dx});
  CHECK(y.margin_is_untouched());
  CHECK(dx.margin_is_untouched());
  return {y.values(), dx.values()};
}

void check_against_oracle(const Problem& problem) {
  const Results expected = run_both(oracle(), problem, 0);
  for (std::int64_t margin : {0, 1}) {
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(problem.spec), " margin ", margin);
      const Results results = run_both(candidate, problem, margin);
      CHECK(difference(results.y, expected.y) < tolerance_of(candidate));
      CHECK(difference(results.dx, expected.dx) < tolerance_of(candidate));
    }
  }
}

Problem random_problem(const Shape& shape, std::int64_t size, double beta, Random& random) {
  return {.spec = response_of(shape, size),
          .constants = {.response_scale = static_cast<double>(random.integer(1, 8)) / 8,
                        .response_beta = beta,
                        .response_k = static_cast<double>(random.integer(1, 4)) / 2},
          .x = random.values(volume(shape)),
          .dy = random.values(volume(shape))};
}

}  // namespace

TEST_CASE("local_response_norm: both phases on random blocks, sizes odd, even and beyond") {
  Random random(1);
  for (int i = 0; i < random_cases(60); ++i) {
    const std::int64_t depth = i % 3 == 0 ? random.integer(2, 3) : 1;
    const Shape shape{
        {random.integer(1, 3), random.integer(1, 20), depth, random.integer(1, 4), 3}};
    const double beta = i % 2 == 0 ? 0.75 : static_cast<double>(random.integer(0, 4)) / 2;
    check_against_oracle(random_problem(shape, random.integer(1, 9), beta, random));
  }
  check_against_oracle(random_problem({{1, 3, 1, 2, 2}}, 2147483647, 0.75, random));
}

TEST_CASE("local_response_norm: of an even size, more channels behind than before") {
  Problem problem{.spec = response_of({{1, 4, 1, 1, 1}}, 4),
                  .constants = {.response_scale = 1.0, .response_beta = 1.0, .response_k = 0.5},
                  .x = {1.0, 2.0, 3.0, 4.0},
                  .dy = Values(4)};
  const Values expected{1 / 14.5, 2 / 30.5, 3 / 29.5, 4 / 25.5};
  CHECK(difference(run_both(oracle(), problem, 0).y, expected) < 1e-12);
}

TEST_CASE("local_response_norm: a sum of squares that overflows does not give zero") {
  const Problem problem{
      .spec = response_of({{1, 4, 1, 1, 1}}, 3),
      .constants = {.response_scale = 1.0, .response_beta = 0.75, .response_k = 1.0},
      .x = {1e25, 1.0, 1.0, 1.0},
      .dy = Values(4)};
  for (const Candidate& candidate : candidates()) {
    if (candidate.precision != Precision::fp32) continue;
    INFO(candidate.backend);
    CHECK(std::isnan(run_both(candidate, problem, 0).y[1]));
  }
}

TEST_CASE("local_response_norm: empty blocks") {
  Random random(2);
  check_against_oracle(random_problem({{2, 8, 1, 0, 2}}, 5, 0.75, random));
}

}  // namespace cnnplan::test
