// Compares random windows and windows that oneDNN computed wrongly, or refused, with the reference.
#include <doctest/doctest.h>

#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/onednn/windows/random_window.hpp"
#include "tests/executor/backend/onednn/windows/window_text.hpp"
#include "tests/executor/backend/onednn/windows/window_trial.hpp"

namespace cnnplan::test {
namespace {

bool has(Precision precision) {
  return prepared("onednn").supports(precision);
}

void check_right(const KernelSpec& spec) {
  if (!has(spec.precision)) return;
  const WindowTrial trial = try_window(spec);
  INFO(trial.implementation, ": ", to_text(spec));
  CHECK(trial.fault == "");
}

void check_right(const std::string& text) {
  check_right(convolution_from_text(text + " fp32 direct"));
  check_right(convolution_from_text(text + " bf16 direct"));
}

}  // namespace

TEST_CASE("windows: random windows of all phases") {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    if (!has(precision)) continue;
    for (int seed = 1; seed <= random_cases(200); ++seed) {
      Random random(seed);
      check_right(random_convolution(random, precision));
    }
  }
}

// oneDNN adds wrong products, or writes outside of the filter.
TEST_CASE("windows: filters that are deeper than the input") {
  for (const char* text :
       {"convolution/backward_filter in=1x1x2x1x1 out=1x1x3x1x1 kernel=5x1x1 stride=1x1x1"
        " padding=4x0x0:1x0x0 dilation=1x1x1",
        "convolution/backward_filter in=1x1x2x1x1 out=1x1x5x1x1 kernel=7x1x1 stride=1x1x1"
        " padding=6x0x0:3x0x0 dilation=1x1x1",
        "convolution/backward_filter in=1x16x4x8x8 out=1x32x4x8x8 kernel=7x3x3 stride=1x1x1"
        " padding=5x1x1:1x1x1 dilation=1x1x1",
        "convolution/backward_filter in=1x1x4x1x1 out=1x1x6x1x1 kernel=8x1x1 stride=1x1x1"
        " padding=4x0x0:5x0x0 dilation=1x1x1",
        "convolution/backward_filter in=3x8x2x4x5 out=3x3x3x1x4 kernel=8x2x3 stride=1x3x1"
        " padding=7x0x1:1x0x0 dilation=1x1x1"}) {
    check_right(text);
  }
}

TEST_CASE("windows: strides over depths of which some lie in the padding") {
  for (const char* text :
       {"convolution/backward_filter in=1x1x4x1x1 out=1x1x3x1x1 kernel=4x1x1 stride=2x1x1"
        " padding=3x0x0:1x0x0 dilation=1x1x1",
        "convolution/backward_filter in=3x5x3x10x2 out=3x5x2x9x1 kernel=8x2x2 stride=3x1x3"
        " padding=7x0x1:3x0x1 dilation=1x1x1 groups=5",
        "convolution/backward_filter in=1x1x4x1x1 out=1x1x3x1x1 kernel=4x1x1 stride=2x1x1"
        " padding=1x0x0:3x0x0 dilation=1x1x1"}) {
    check_right(text);
  }
}

// oneDNN adds the products of the next depth to another row of the filter.
TEST_CASE("windows: strides over heights that end in the padding above the input") {
  for (const char* text :
       {"convolution/backward_filter in=1x6x3x8x3 out=1x32x3x1x3 kernel=1x11x3 stride=1x3x1"
        " padding=0x5x0:0x0x2 dilation=1x1x1 groups=2",
        "convolution/backward_filter in=1x1x4x4x3 out=1x1x4x1x1 kernel=2x6x1 stride=1x2x3"
        " padding=1x3x0:0x0x0 dilation=1x1x1",
        "convolution/backward_filter in=1x1x2x5x1 out=1x1x2x1x1 kernel=1x8x1 stride=1x2x1"
        " padding=0x4x0:0x0x0 dilation=1x1x1"}) {
    check_right(text);
  }
}

TEST_CASE("windows: a dilated kernel of 5, and large kernels on one input, run in all phases") {
  for (const char* phase : {"forward", "backward_data", "backward_filter"}) {
    const std::string start = std::string("convolution/") + phase;
    check_right(start +
                " in=1x64x1x32x32 out=1x16x1x32x32 kernel=1x5x5 stride=1x1x1"
                " padding=0x4x4:0x4x4 dilation=1x2x2");
    check_right(start +
                " in=1x2x1x1x1 out=1x1x1x6x4 kernel=1x6x4 stride=1x1x1"
                " padding=0x5x3:0x5x3 dilation=1x1x1");
  }
}

TEST_CASE("windows: the text of a convolution gives the convolution") {
  for (int seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const KernelSpec spec = random_convolution(random, Precision::bf16);
    CHECK(convolution_from_text(to_text(spec)) == spec);
  }
}

}  // namespace cnnplan::test
