// The optimizer of every backend against plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

struct Results {
  Values weight, momentum;
};

constexpr StepState state{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 1e-2};

Results updated(const Candidate& candidate, const std::array<Values, 3>& values) {
  const auto elements = static_cast<std::int64_t>(values[0].size());
  const Element element = element_of(candidate.precision);
  KernelSpec spec;
  spec.kind = KernelKind::sgd;
  spec.phase = KernelPhase::update;
  spec.in = spec.out = {{1, 1, 1, 1, elements}};
  Block weight = flat(element, elements).fill(values[0]);
  Block gradient = flat(element, elements).fill(values[1]);
  Block momentum = flat(element, elements).fill(values[2]);
  run(candidate, spec, {}, state, {&weight, &gradient, &momentum});
  CHECK(gradient.values() == values[1]);
  return {weight.values(), momentum.values()};
}

}  // namespace

TEST_CASE("sgd: momentum and weight decay as in PyTorch, by hand") {
  const Results results = updated(oracle(), {Values{2.0}, Values{0.5}, Values{1.0}});
  CHECK(results.momentum[0] == doctest::Approx(0.9 * 1.0 + 0.5 + 1e-2 * 2.0));
  CHECK(results.weight[0] == doctest::Approx(2.0 - 0.1 * 1.42));
}

TEST_CASE("sgd: random vectors of every length") {
  Random random(1);
  for (std::int64_t elements : {0, 1, 15, 16, 17, 1000}) {
    const std::array<Values, 3> values{
        random.values(elements), random.values(elements), random.values(elements)};
    const Results expected = updated(oracle(), values);
    for (const Candidate& candidate : candidates()) {
      const Results actual = updated(candidate, values);
      CHECK(difference(actual.weight, expected.weight) < tolerance);
      CHECK(difference(actual.momentum, expected.momentum) < tolerance);
    }
  }
}

}  // namespace cnnplan::test
