// Compares linear upsampling of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

struct Problem {
  KernelSpec spec;
  KernelConstants constants;
};

// Holds a block of the outputs of one dim of a whole tensor.
void add_dim(Problem& problem, std::size_t i, std::int64_t length, Range outputs, UpsampleDim dim) {
  problem.constants.axes[i] = interpolation_axis(outputs, length, dim);
  problem.spec.in[spatial_dims[i]] = upsample_block(outputs, length, dim).input.size();
  problem.spec.out[spatial_dims[i]] = outputs.size();
  problem.spec.window.dims[i] = {.kernel = 2 * dim.factor, .stride = dim.factor};
}

Problem random_problem(Random& random, bool deep) {
  Problem problem;
  problem.spec.kind = KernelKind::interpolate;
  const std::int64_t channels = random.coin() ? random.integer(1, 40) : 16 * random.integer(1, 3);
  problem.spec.in = problem.spec.out = {{random.integer(1, 3), channels, 1, 1, 1}};
  const bool align_corners = random.coin();
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    const std::int64_t factor = random.integer(1, 4);
    const std::int64_t length = random.integer(1, 6);
    const std::int64_t begin = random.integer(0, factor * length - 1);
    add_dim(problem,
            i,
            length,
            {begin, random.integer(begin + 1, factor * length)},
            {.factor = factor, .mode = UpsampleMode::linear, .align_corners = align_corners});
  }
  return problem;
}

Values result_of(const Candidate& candidate,
                 const Problem& problem,
                 KernelPhase phase,
                 const Values& values,
                 std::int64_t margin) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec = problem.spec;
  spec.phase = phase;
  const bool is_forward = phase == KernelPhase::forward;
  Block from = Block::pitched(element, is_forward ? spec.in : spec.out, margin).fill(values);
  Block to = Block::pitched(element, is_forward ? spec.out : spec.in, margin);
  run(candidate, spec, problem.constants, {}, {&from, &to});
  CHECK(to.margin_is_untouched());
  return to.values();
}

void check_against_oracle(const Problem& problem, Random& random) {
  for (KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    const bool is_forward = phase == KernelPhase::forward;
    const Values values = random.values(volume(is_forward ? problem.spec.in : problem.spec.out));
    for (std::int64_t margin : {0, 1}) {
      const Values expected = result_of(oracle(), problem, phase, values, margin);
      for (const Candidate& candidate : candidates()) {
        INFO(candidate.backend,
             ": ",
             to_text(phase),
             ' ',
             to_text(problem.spec),
             " margin ",
             margin);
        CHECK(difference(result_of(candidate, problem, phase, values, margin), expected) <
              tolerance_of(candidate));
      }
    }
  }
}

Problem row(std::int64_t length, Range outputs, const UpsampleDim& dim) {
  Problem problem;
  problem.spec.kind = KernelKind::interpolate;
  problem.spec.in = problem.spec.out = {{1, 1, 1, 1, 1}};
  add_dim(problem, 2, length, outputs, dim);
  return problem;
}

}  // namespace

TEST_CASE("interpolate: both phases on random blocks in two and three dims") {
  Random random(1);
  for (int i = 0; i < random_cases(80); ++i)
    check_against_oracle(random_problem(random, i % 3 == 0), random);
}

TEST_CASE("interpolate: means by hand") {
  const UpsampleDim centred{.factor = 2, .mode = UpsampleMode::linear};
  const UpsampleDim aligned{.factor = 2, .mode = UpsampleMode::linear, .align_corners = true};
  const auto forward = [](const Problem& problem, const Values& x) {
    return result_of(oracle(), problem, KernelPhase::forward, x, 0);
  };
  CHECK(forward(row(2, {0, 4}, centred), {4.0, 8.0}) == Values{4.0, 5.0, 7.0, 8.0});
  // The block in the middle has equal means, and the inputs that it needs.
  CHECK(forward(row(2, {1, 3}, centred), {4.0, 8.0}) == Values{5.0, 7.0});
  CHECK(forward(row(3, {3, 6}, centred), {4.0, 8.0}) == Values{5.0, 7.0, 8.0});
  CHECK(difference(forward(row(2, {0, 4}, aligned), {3.0, 6.0}), {3.0, 4.0, 5.0, 6.0}) < 1e-15);
  CHECK(result_of(oracle(),
                  row(2, {0, 4}, centred),
                  KernelPhase::backward_data,
                  {1.0, 4.0, 16.0, 64.0},
                  0) == Values{1.0 + 3.0 + 4.0, 1.0 + 12.0 + 64.0});
}

TEST_CASE("interpolate: empty blocks") {
  Random random(2);
  Problem problem = row(4, {2, 6}, {.factor = 2, .mode = UpsampleMode::linear});
  problem.spec.in[Dim::h] = problem.spec.out[Dim::h] = 0;
  check_against_oracle(problem, random);
}

}  // namespace cnnplan::test
