// Dropout: the mask is the same in every backend, phase, precision and split.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr KernelConstants constants{.parameter = 0.3, .random_stream = 7};
constexpr StepState state{.seed = 11, .step = 5};

Values dropped(const Candidate& candidate,
               KernelPhase phase,
               const Box& box,
               const StepState& step = state) {
  KernelSpec spec;
  spec.kind = KernelKind::dropout;
  spec.phase = phase;
  spec.in = spec.out = shape_of(box);
  const Element element = element_of(candidate.precision);
  Block x = Block::at(element, box).fill(Values(static_cast<std::size_t>(volume(box)), 1.0));
  Block y = Block::at(element, box);
  run(candidate, spec, constants, step, {&x, &y});
  return y.values();
}

std::vector<Candidate> all() {
  std::vector<Candidate> list = candidates();
  list.push_back(oracle());
  return list;
}

const Shape shape{{4, 33, 1, 5, 6}};

}  // namespace

TEST_CASE("dropout: keeps the share 1 - rate and scales what it keeps") {
  for (const Candidate& candidate : all()) {
    const Values y = dropped(candidate, KernelPhase::forward, whole(shape));
    const auto kept = std::count_if(y.begin(), y.end(), [](double v) { return v != 0.0; });
    const double share = static_cast<double>(kept) / static_cast<double>(y.size());
    CHECK(std::abs(share - 0.7) < 0.03);
    CHECK(*std::max_element(y.begin(), y.end()) == relative(1.0 / 0.7, tolerance_of(candidate)));
  }
}

TEST_CASE("dropout: every backend and both phases drop the same elements") {
  const Values expected = dropped(oracle(), KernelPhase::forward, whole(shape));
  for (const Candidate& candidate : all()) {
    for (KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
      CHECK(difference(dropped(candidate, phase, whole(shape)), expected) <
            tolerance_of(candidate));
    }
  }
}

TEST_CASE("dropout: a block drops what the whole tensor drops there") {
  Box lower = whole(shape);
  Box upper = whole(shape);
  lower[Dim::n].end = upper[Dim::n].begin = 1;
  Box left = upper;
  Box right = upper;
  left[Dim::c].end = right[Dim::c].begin = 20;
  for (const Candidate& candidate : all()) {
    const Values expected = dropped(candidate, KernelPhase::forward, whole(shape));
    Values joined = dropped(candidate, KernelPhase::forward, lower);
    const Values rest = dropped(candidate, KernelPhase::forward, upper);
    joined.insert(joined.end(), rest.begin(), rest.end());
    CHECK(joined == expected);
    const Values first = dropped(candidate, KernelPhase::forward, left);
    const Values second = dropped(candidate, KernelPhase::forward, right);
    CHECK(std::equal(first.begin(), first.begin() + 20, rest.begin()));
    CHECK(std::equal(second.begin(), second.begin() + 13, rest.begin() + 20));
  }
}

TEST_CASE("dropout: seed and step change the mask, evaluation passes through") {
  for (const Candidate& candidate : all()) {
    const auto forward = [&](const StepState& step) {
      return dropped(candidate, KernelPhase::forward, whole(shape), step);
    };
    CHECK(forward({.seed = 11, .step = 6}) != forward(state));
    CHECK(forward({.seed = 12, .step = 5}) != forward(state));
    const Values ones(static_cast<std::size_t>(volume(shape)), 1.0);
    CHECK(forward({.seed = 11, .step = 5, .training = false}) == ones);
  }
}

TEST_CASE("dropout: an empty block") {
  Box none = whole(shape);
  none[Dim::h].end = 0;
  for (const Candidate& candidate : all()) {
    CHECK(dropped(candidate, KernelPhase::forward, none).empty());
  }
}

}  // namespace cnnplan::test
