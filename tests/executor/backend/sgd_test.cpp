// Compares the optimizer of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

struct Results {
  Values weight, momentum;
};

constexpr StepState plain_state{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 1e-2};

Results updated(const Candidate& candidate,
                const std::array<Values, 3>& values,
                const StepState& state = plain_state) {
  const auto elements = static_cast<std::int64_t>(values[0].size());
  const Element element = parameter_of(candidate.precision);
  KernelSpec spec;
  spec.kind = KernelKind::sgd;
  spec.phase = KernelPhase::update;
  spec.in = spec.out = {{1, 1, 1, 1, elements}};
  Block weight = flat(element, elements).fill(values[0]);
  Block gradient = flat(element, elements).fill(values[1]);
  Block momentum = flat(element, elements).fill(values[2]);
  std::vector<Block*> operands{&weight, &gradient, &momentum};
  Block copy = flat(element_of(candidate.precision), elements);
  if (has_weight_copies(candidate.precision)) operands.push_back(&copy);
  run(candidate, spec, {}, state, operands);
  CHECK(gradient.values() == values[1]);
  if (has_weight_copies(candidate.precision)) {
    CHECK(copy.values() ==
          flat(element_of(candidate.precision), elements).fill(weight.values()).values());
  }
  return {weight.values(), momentum.values()};
}

}  // namespace

TEST_CASE("sgd: momentum and weight decay as in PyTorch, by hand") {
  const Results results = updated(oracle(), {Values{2.0}, Values{0.5}, Values{1.0}});
  CHECK(results.momentum[0] == relative(0.9 * 1.0 + 0.5 + 1e-2 * 2.0, 1e-6));
  CHECK(results.weight[0] == relative(2.0 - 0.1 * 1.42, 1e-6));
}

TEST_CASE("sgd: the gradient is divided by the loss scale before weight decay") {
  StepState state = plain_state;
  state.loss_scale = 8.0;
  std::vector<Candidate> all = candidates();
  all.push_back(oracle());
  for (const Candidate& candidate : all) {
    const Results results = updated(candidate, {Values{2.0}, Values{4.0}, Values{1.0}}, state);
    CHECK(results.momentum[0] == relative(0.9 * 1.0 + 0.5 + 1e-2 * 2.0, 1e-6));
    CHECK(results.weight[0] == relative(2.0 - 0.1 * 1.42, 1e-6));
  }
}

TEST_CASE("sgd: random vectors of every length") {
  Random random(1);
  for (std::int64_t elements : {0, 1, 15, 16, 17, 1000}) {
    const std::array<Values, 3> values{
        random.values(elements), random.values(elements), random.values(elements)};
    const Results expected = updated(oracle(), values);
    for (const Candidate& candidate : candidates()) {
      const Results actual = updated(candidate, values);
      CHECK(difference(actual.weight, expected.weight) < tolerance_of(candidate));
      CHECK(difference(actual.momentum, expected.momentum) < tolerance_of(candidate));
    }
  }
}

}  // namespace cnnplan::test
