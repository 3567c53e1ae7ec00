// Compares upsampling of every backend with plain loops in double.
#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

// A block of the outputs may begin and end inside the outputs that repeat one input.
KernelSpec random_spec(Random& random, bool deep) {
  KernelSpec spec;
  spec.kind = KernelKind::upsample;
  const std::int64_t channels = random.coin() ? random.integer(1, 40) : 16 * random.integer(1, 3);
  spec.in = spec.out = {{random.integer(1, 3), channels, 1, 1, 1}};
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    const std::int64_t factor = random.integer(1, 4);
    const std::int64_t begin = random.integer(0, 9);
    const Range outputs{begin, begin + random.integer(1, 9)};
    const WindowBlock block = upsample_block(outputs, outputs.end, {.factor = factor});
    spec.window.dims[i] = {.kernel = factor,
                           .stride = factor,
                           .padding_begin = block.padding_begin,
                           .padding_end = block.padding_end};
    spec.in[spatial_dims[i]] = block.input.size();
    spec.out[spatial_dims[i]] = outputs.size();
  }
  return spec;
}

Values result_of(const Candidate& candidate,
                 KernelSpec spec,
                 KernelPhase phase,
                 const Values& values,
                 std::int64_t margin) {
  const Element element = element_of(candidate.precision);
  const bool is_forward = phase == KernelPhase::forward;
  Block from = Block::pitched(element, is_forward ? spec.in : spec.out, margin).fill(values);
  Block to = Block::pitched(element, is_forward ? spec.out : spec.in, margin);
  spec.phase = phase;
  run(candidate, spec, {}, {}, {&from, &to});
  CHECK(to.margin_is_untouched());
  return to.values();
}

void check_against_oracle(const KernelSpec& spec, Random& random) {
  for (KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    const bool is_forward = phase == KernelPhase::forward;
    const Values values = random.values(volume(is_forward ? spec.in : spec.out));
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

TEST_CASE("upsample: both phases on random blocks in two and three dims") {
  Random random(1);
  for (int i = 0; i < random_cases(80); ++i)
    check_against_oracle(random_spec(random, i % 3 == 0), random);
}

TEST_CASE("upsample: every output is the input that it repeats") {
  KernelSpec spec;
  spec.kind = KernelKind::upsample;
  spec.in = {{1, 1, 1, 1, 2}};
  spec.out = {{1, 1, 1, 1, 4}};
  spec.window.dims[2] = {.kernel = 3, .stride = 3, .padding_begin = 2, .padding_end = 0};
  const Values expected{7.0, 8.0, 8.0, 8.0};
  CHECK(result_of(oracle(), spec, KernelPhase::forward, {7.0, 8.0}, 0) == expected);
  const Values sums{1.0, 2.0 + 4.0 + 8.0};
  CHECK(result_of(oracle(), spec, KernelPhase::backward_data, {1.0, 2.0, 4.0, 8.0}, 0) == sums);
}

TEST_CASE("upsample: empty blocks") {
  KernelSpec spec;
  spec.kind = KernelKind::upsample;
  spec.in = {{2, 8, 1, 0, 2}};
  spec.out = {{2, 8, 1, 0, 4}};
  spec.window.dims[2] = {.kernel = 2, .stride = 2};
  Random random(2);
  check_against_oracle(spec, random);
}

}  // namespace cnnplan::test
