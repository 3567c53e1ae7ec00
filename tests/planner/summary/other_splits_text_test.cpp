// Tests the sentences about other splits of a layer.
#include "planner/summary/other_splits_text.hpp"

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// The step of the plan takes 100 ms, 60 of them in kernels.
OtherSplits small_splits(const OtherSplit& other) {
  return {.step_s = 0.100,
          .parts = {{OperationPart::forward, 0.060}, {OperationPart::gradient_reduction, 0.040}},
          .memory_bytes = 400 * mebibyte,
          .units = {{.layers = {LayerIndex(1), LayerIndex(2)},
                     .equal_heads = {},
                     .equal_layers = {},
                     .others = {other}}}};
}

std::string text_of(const OtherSplits& found) {
  return to_text(found, found.units.front(), small_plan());
}

}  // namespace

TEST_CASE("other splits: costs are named by size and add up, and so is memory") {
  OtherSplit other{.split = "n2",
                   .is_data_parallel = true,
                   .step_s = 0.1213,
                   .parts = {{OperationPart::forward, 0.055},
                             {OperationPart::halo, 0.0003},
                             {OperationPart::gradient_reduction, 0.066}},
                   .memory_bytes = 401 * mebibyte};
  CHECK(text_of(small_splits(other)) ==
        "With n2 (data parallelism) for conv1 and the layer split with it, the step would take 121 "
        "instead of 100 ms: reducing gradients 26.0 ms more, kernels 5.00 ms less, all else 0.300 "
        "ms more.");
  other.memory_bytes = 500 * mebibyte;
  CHECK(text_of(small_splits(other)).ends_with("; a rank would need 100.00 MiB more."));
  other.fits = false;
  CHECK(
      text_of(small_splits(other)).ends_with("; a rank would need 500.00 MiB, and has 1.00 GiB."));
}

TEST_CASE("other splits: a step as long, a shorter step, and equal layers") {
  OtherSplit other{.split = "h2",
                   .is_runner_up = true,
                   .step_s = 0.1000001,
                   .parts = {},
                   .memory_bytes = 400 * mebibyte};
  OtherSplits found = small_splits(other);
  found.units.front().equal_heads = {LayerIndex(4)};
  CHECK(text_of(found) ==
        "With h2 (second in the search) for conv1 and the layer split with it, the step would stay "
        "at 100 ms. Equal layers have equal reasons: fc.");
  other.step_s = 0.088;
  other.parts = {{OperationPart::forward, 0.048}, {OperationPart::gradient_reduction, 0.040}};
  CHECK(text_of(small_splits(other)) ==
        "With h2 (second in the search) for conv1 and the layer split with it, the step would take "
        "88.0 instead of 100 ms: kernels 12.0 ms less. The search adds operations up without "
        "waits, and missed this plan.");
}

TEST_CASE("other splits: why layers have no reason") {
  CHECK(missing_text({}).empty());
  CHECK(missing_text({.is_complete = false}).ends_with("gives the reason for any layer."));
  CHECK(missing_text({.none = NoOtherSplits::sample_blocks}) ==
        "The plan adds over blocks of samples, so no layer can have another split.");
}

}  // namespace cnnplan
