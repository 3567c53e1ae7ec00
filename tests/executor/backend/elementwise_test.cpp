// Compares element-wise functions, add and accumulate of every backend with plain loops in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "executor/backend/element_wise_functions.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

Shape random_shape(Random& random) {
  return {{random.integer(0, 3),
           random.integer(1, 40),
           random.integer(1, 2),
           random.integer(1, 9),
           random.integer(1, 9)}};
}

KernelSpec spec_of(KernelKind kind, KernelPhase phase, const Shape& shape) {
  KernelSpec spec;
  spec.kind = kind;
  spec.phase = phase;
  spec.in = spec.out = shape;
  return spec;
}

// Runs a kernel whose last operand is its result; all others are inputs.
Values result_of(const Candidate& candidate,
                 const KernelSpec& spec,
                 const std::vector<Values>& inputs,
                 std::int64_t margin,
                 const KernelConstants& constants = {}) {
  const Element element = element_of(candidate.precision);
  std::vector<Block> blocks;
  for (const Values& values : inputs) {
    blocks.push_back(Block::pitched(element, spec.in, margin).fill(values));
  }
  blocks.push_back(Block::pitched(element, spec.out, margin));
  std::vector<Block*> operands;
  for (Block& block : blocks) operands.push_back(&block);
  run(candidate, spec, constants, {}, operands);
  CHECK(blocks.back().margin_is_untouched());
  return blocks.back().values();
}

void check_against_oracle(const KernelSpec& spec, std::size_t inputs, Random& random) {
  constexpr KernelConstants constants{.parameter = 0.5};
  for (std::int64_t margin : {0, 1}) {
    std::vector<Values> values;
    for (std::size_t i = 0; i < inputs; ++i) values.push_back(random.values(volume(spec.in)));
    const Values expected = result_of(oracle(), spec, values, margin, constants);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec), " margin ", margin);
      CHECK(difference(result_of(candidate, spec, values, margin, constants), expected) <
            tolerance_of(candidate));
    }
  }
}

}  // namespace

TEST_CASE("element-wise functions: both phases on random blocks") {
  Random random(1);
  for (int i = 0; i < random_cases(30); ++i) {
    const Shape shape = random_shape(random);
    for (const KernelKind kind : Enumerators<KernelKind>::all) {
      if (!ElementWiseFunctions::has(kind)) continue;
      check_against_oracle(spec_of(kind, KernelPhase::forward, shape), 1, random);
      check_against_oracle(spec_of(kind, KernelPhase::backward_data, shape), 2, random);
    }
  }
}

// 0.7 is no number of 16 bits: where an input was clipped at its rounding, the gradient is zero.
TEST_CASE("relu: clipped, from x to dx") {
  Random random(5);
  const std::int64_t count = 200;
  const Shape shape{{2, 4, 1, 5, 5}};
  REQUIRE(volume(shape) == count);
  const Values x = random.values(count);
  const Values dy(static_cast<std::size_t>(count), 1.0);
  for (const double limit : {0.7, 1.0, 6.0}) {
    const KernelConstants constants{.relu_max = limit};
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, " at ", limit);
      const KernelSpec forward = spec_of(KernelKind::relu, KernelPhase::forward, shape);
      const Values y = result_of(candidate, forward, {x}, 1, constants);
      const KernelSpec backward = spec_of(KernelKind::relu, KernelPhase::backward_data, shape);
      const Values dx = result_of(candidate, backward, {y, dy}, 1, constants);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(y[i] - std::min(std::max(x[i], 0.0), limit)) < tolerance_of(candidate));
        CHECK(dx[i] == (x[i] > 0.0 && x[i] < limit ? 1.0 : 0.0));
      }
    }
  }
}

TEST_CASE("leaky_relu: from x to dx") {
  Random random(7);
  const Shape shape{{2, 5, 1, 3, 7}};
  const Values x = random.values(volume(shape));
  const Values dy = random.values(volume(shape));
  const KernelSpec forward = spec_of(KernelKind::leaky_relu, KernelPhase::forward, shape);
  const KernelSpec backward = spec_of(KernelKind::leaky_relu, KernelPhase::backward_data, shape);
  std::vector<Candidate> all = candidates();
  all.push_back(oracle());
  for (const double slope : {0.0, 0.01, 0.5, 2.0}) {
    const KernelConstants constants{.parameter = slope};
    for (const Candidate& candidate : all) {
      INFO(candidate.backend, " with ", slope);
      const Values y = result_of(candidate, forward, {x}, 1, constants);
      const Values dx = result_of(candidate, backward, {y, dy}, 1, constants);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double factor = x[i] > 0 ? 1.0 : slope;
        CHECK(std::abs(y[i] - factor * x[i]) < 4 * tolerance_of(candidate));
        CHECK(std::abs(dx[i] - factor * dy[i]) < 4 * tolerance_of(candidate));
      }
    }
  }
}

TEST_CASE("add: with and without ReLU on random blocks") {
  Random random(2);
  for (int i = 0; i < random_cases(30); ++i) {
    KernelSpec spec = spec_of(KernelKind::add, KernelPhase::forward, random_shape(random));
    spec.relu = i % 2 == 0;
    check_against_oracle(spec, 2, random);
  }
}

TEST_CASE("add: a scaled second input, from its values to its gradient") {
  Random random(6);
  const Shape shape{{2, 5, 1, 3, 7}};
  const Values a = random.values(volume(shape));
  const Values b = random.values(volume(shape));
  for (const double scale : {-0.375, 0.125, 2.5}) {
    const KernelConstants constants{.add_scale = scale};
    for (const Candidate& candidate : candidates()) {
      for (const bool relu : {false, true}) {
        INFO(candidate.backend, " with ", scale, relu ? " and ReLU" : "");
        KernelSpec forward = spec_of(KernelKind::add, KernelPhase::forward, shape);
        forward.relu = relu;
        const Values y = result_of(candidate, forward, {a, b}, 1, constants);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const double sum = a[i] + scale * b[i];
          CHECK(std::abs(y[i] - (relu ? std::max(sum, 0.0) : sum)) < 4 * tolerance_of(candidate));
        }
      }
      const KernelSpec backward = spec_of(KernelKind::add, KernelPhase::backward_data, shape);
      const Values dx = result_of(candidate, backward, {b}, 1, constants);
      for (std::size_t i = 0; i < dx.size(); ++i) {
        CHECK(std::abs(dx[i] - scale * b[i]) < 4 * tolerance_of(candidate));
      }
    }
  }
}

TEST_CASE("relu, leaky_relu, add: what is not finite does not become finite") {
  const Shape shape{{1, 21, 1, 1, 1}};
  KernelSpec relu = spec_of(KernelKind::relu, KernelPhase::forward, shape);
  KernelSpec leaky = spec_of(KernelKind::leaky_relu, KernelPhase::forward, shape);
  KernelSpec add = spec_of(KernelKind::add, KernelPhase::forward, shape);
  add.relu = true;
  Values values(21, 1.0);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  values[19] = std::numeric_limits<double>::infinity();
  values[20] = -values[19];
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend);
    for (const Values& found : {result_of(candidate, relu, {values}, 0),
                                result_of(candidate, relu, {values}, 0, {.relu_max = 6.0}),
                                result_of(candidate, leaky, {values}, 0, {.parameter = 0.5}),
                                result_of(candidate, add, {values, Values(21, 2.0)}, 0)}) {
      CHECK(std::isnan(found[3]));
      CHECK(std::isfinite(found[4]));
      CHECK(!std::isfinite(found[19]));
      CHECK(!std::isfinite(found[20]));
    }
  }
}

TEST_CASE("accumulate: random blocks") {
  Random random(3);
  for (int i = 0; i < random_cases(20); ++i) {
    check_against_oracle(
        spec_of(KernelKind::accumulate, KernelPhase::forward, random_shape(random)), 2, random);
  }
}

TEST_CASE("accumulate: the result may be the first operand") {
  Random random(4);
  const Shape shape{{2, 37, 1, 5, 3}};
  const Values a = random.values(volume(shape));
  const Values b = random.values(volume(shape));
  const KernelSpec spec = spec_of(KernelKind::accumulate, KernelPhase::forward, shape);
  const Values expected = result_of(oracle(), spec, {a, b}, 0);
  for (const Candidate& candidate : candidates()) {
    Block sum = Block::dense(element_of(candidate.precision), shape).fill(a);
    Block added = Block::dense(element_of(candidate.precision), shape).fill(b);
    run(candidate, spec, {}, {}, {&sum, &added, &sum});
    CHECK(difference(sum.values(), expected) < tolerance_of(candidate));
  }
}

}  // namespace cnnplan::test
