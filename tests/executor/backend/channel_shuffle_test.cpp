// Compares the channel shuffle of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

KernelSpec shuffle_of(const Shape& shape, std::int64_t groups) {
  KernelSpec spec;
  spec.kind = KernelKind::channel_shuffle;
  spec.in = spec.out = shape;
  spec.groups = groups;
  return spec;
}

Values result_of(const Candidate& candidate,
                 KernelSpec spec,
                 KernelPhase phase,
                 const Values& values,
                 std::int64_t margin) {
  const Element element = element_of(candidate.precision);
  Block from = Block::pitched(element, spec.in, margin).fill(values);
  Block to = Block::pitched(element, spec.out, margin);
  spec.phase = phase;
  run(candidate, spec, {}, {}, {&from, &to});
  CHECK(to.margin_is_untouched());
  return to.values();
}

void check_against_oracle(const KernelSpec& spec, Random& random) {
  for (KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    const Values values = random.values(volume(spec.out));
    for (std::int64_t margin : {0, 1}) {
      const Values expected = result_of(oracle(), spec, phase, values, margin);
      for (const Candidate& candidate : candidates()) {
        INFO(candidate.backend, ": ", to_text(spec), " margin ", margin);
        CHECK(difference(result_of(candidate, spec, phase, values, margin), expected) <
              tolerance_of(candidate));
      }
    }
  }
}

}  // namespace

TEST_CASE("channel_shuffle: both phases on random blocks in two and three dims") {
  Random random(1);
  for (int i = 0; i < random_cases(60); ++i) {
    const std::int64_t groups = random.integer(1, 8);
    const std::int64_t channels = groups * random.integer(1, 8);
    const std::int64_t depth = i % 3 == 0 ? random.integer(2, 3) : 1;
    const Shape shape{
        {random.integer(1, 3), channels, depth, random.integer(1, 5), random.integer(1, 5)}};
    check_against_oracle(shuffle_of(shape, groups), random);
  }
}

TEST_CASE("channel_shuffle: output j * groups + i is input i * (channels / groups) + j") {
  const KernelSpec spec = shuffle_of({{1, 6, 1, 1, 1}}, 2);
  const Values expected{0.0, 3.0, 1.0, 4.0, 2.0, 5.0};
  const Values back{0.0, 2.0, 4.0, 1.0, 3.0, 5.0};
  const Values values{0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  CHECK(result_of(oracle(), spec, KernelPhase::forward, values, 0) == expected);
  CHECK(result_of(oracle(), spec, KernelPhase::backward_data, values, 0) == back);
}

TEST_CASE("channel_shuffle: empty blocks") {
  Random random(2);
  check_against_oracle(shuffle_of({{2, 8, 1, 0, 2}}, 4), random);
}

}  // namespace cnnplan::test
