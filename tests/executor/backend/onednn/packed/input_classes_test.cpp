// Compares classes of inputs with direct indexing.
#include "executor/backend/onednn/packed/input_classes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::onednn {
namespace {

using test::Random;
using Reads = std::vector<std::pair<std::int64_t, std::int64_t>>;  // outputs and taps of an input

std::vector<Reads> expected_reads(const WindowDim& window,
                                  std::int64_t inputs,
                                  std::int64_t outputs) {
  std::vector<Reads> reads(static_cast<std::size_t>(inputs));
  for (std::int64_t output = 0; output < outputs; ++output) {
    for (std::int64_t tap = 0; tap < window.kernel; ++tap) {
      const std::int64_t input =
          output * window.stride + tap * window.dilation - window.padding_begin;
      if (input < 0 || input >= inputs) continue;
      reads[static_cast<std::size_t>(input)].emplace_back(output, tap);
    }
  }
  return reads;
}

Reads reads_of(const DimClass& one, std::int64_t index, std::int64_t outputs) {
  Reads reads;
  for (std::size_t tap = 0; tap < one.taps.size(); ++tap) {
    const std::int64_t output =
        index + static_cast<std::int64_t>(tap) * one.window.dilation - one.window.padding_begin;
    if (output >= 0 && output < outputs) reads.emplace_back(output, one.taps[tap]);
  }
  std::sort(reads.begin(), reads.end());
  return reads;
}

}  // namespace

TEST_CASE("input_classes: every input is in one class and gets what its outputs read of it") {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const WindowDim window{.kernel = random.integer(1, 4),
                           .stride = random.integer(1, 6),
                           .padding_begin = random.integer(-6, 12),
                           .dilation = random.integer(1, 6)};
    const std::int64_t inputs = random.integer(1, 15);
    const std::int64_t outputs = random.integer(1, 15);
    std::vector<Reads> reads(static_cast<std::size_t>(inputs));
    std::vector<int> seen(static_cast<std::size_t>(inputs), 0);
    for (const DimClass& one : classes_of(window, inputs)) {
      for (std::int64_t index = 0; index < one.count; ++index) {
        const auto input = static_cast<std::size_t>(one.begin + index * window.stride);
        ++seen.at(input);
        reads.at(input) = reads_of(one, index, outputs);
      }
    }
    CHECK(seen == std::vector<int>(seen.size(), 1));
    CHECK(reads == expected_reads(window, inputs, outputs));
  }
}

TEST_CASE("input_classes: strides longer than the kernel leave inputs without a class") {
  KernelSpec spec;
  spec.in = {{2, 16, 1, 7, 9}};
  spec.out = {{2, 32, 1, 2, 4}};
  spec.window.dims[1] = {.kernel = 2, .stride = 4};
  spec.window.dims[2] = {.kernel = 3, .stride = 2};
  const std::vector<InputClass> classes = input_classes(spec);
  REQUIRE(classes.size() == 4);
  CHECK(classes[1].begin == std::array<std::int64_t, 3>{0, 0, 1});
  CHECK(classes[1].convolution.in == spec.out);
  CHECK(classes[1].convolution.out == Shape{{2, 16, 1, 2, 4}});
  CHECK(classes[1].taps == std::vector<std::int64_t>{1});
  CHECK(classes[2].taps == std::vector<std::int64_t>{5, 3});
}

}  // namespace cnnplan::onednn
