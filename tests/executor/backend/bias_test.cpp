// Compares biases of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

KernelSpec spec_of(KernelPhase phase, const Shape& shape) {
  KernelSpec spec;
  spec.kind = KernelKind::bias;
  spec.phase = phase;
  spec.in = spec.out = shape;
  return spec;
}

Shape random_shape(Random& random, bool deep) {
  const std::int64_t channels = random.coin() ? random.integer(1, 40) : 16 * random.integer(1, 3);
  return {{random.integer(1, 3),
           channels,
           deep ? random.integer(2, 4) : 1,
           random.integer(1, 9),
           random.integer(1, 9)}};
}

struct Case {
  Shape shape;
  Values x;
  Values bias;
  std::int64_t margin = 0;
};

Values sum_of(const Candidate& candidate, const Case& of, bool in_place) {
  const Element element = element_of(candidate.precision);
  Block x = Block::pitched(element, of.shape, of.margin).fill(of.x);
  Block bias = flat(parameter_of(candidate.precision), of.shape[Dim::c]).fill(of.bias);
  Block apart = Block::pitched(element, of.shape, of.margin);
  Block& y = in_place ? x : apart;
  run(candidate, spec_of(KernelPhase::forward, of.shape), {}, {}, {&x, &bias, &y});
  CHECK(y.margin_is_untouched());
  return y.values();
}

Values gradient_of(const Candidate& candidate, const Case& of) {
  Block dy = Block::pitched(element_of(candidate.precision), of.shape, of.margin).fill(of.x);
  Block dbias = flat(parameter_of(candidate.precision), of.shape[Dim::c]);
  run(candidate, spec_of(KernelPhase::backward_filter, of.shape), {}, {}, {&dy, &dbias});
  return dbias.values();
}

void check_against_oracle(Case of) {
  for (of.margin = 0; of.margin <= 1; ++of.margin) {
    const Values sum = sum_of(oracle(), of, false);
    const Values gradient = gradient_of(oracle(), of);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(of.shape), " margin ", of.margin);
      CHECK(difference(sum_of(candidate, of, false), sum) < tolerance_of(candidate));
      CHECK(difference(sum_of(candidate, of, true), sum) < tolerance_of(candidate));
      CHECK(difference(gradient_of(candidate, of), gradient) < tolerance_of(candidate));
    }
  }
}

}  // namespace

TEST_CASE("bias: both phases on random blocks in two and three dims") {
  Random random(1);
  for (int i = 0; i < random_cases(60); ++i) {
    const Shape shape = random_shape(random, i % 3 == 0);
    check_against_oracle(
        {.shape = shape, .x = random.values(volume(shape)), .bias = random.values(shape[Dim::c])});
  }
}

TEST_CASE("bias: every channel has its own") {
  const Case of{.shape = {{1, 2, 1, 1, 3}}, .x = {1, 2, 3, 4, 5, 6}, .bias = {10, 20}};
  CHECK(sum_of(oracle(), of, false) == Values{11, 22, 13, 24, 15, 26});
  CHECK(gradient_of(oracle(), of) == Values{9, 12});
}

TEST_CASE("bias: the gradient of an empty block is zero") {
  check_against_oracle({.shape = {{2, 8, 1, 0, 4}}, .x = {}, .bias = Values(8, 1.0)});
}

}  // namespace cnnplan::test
