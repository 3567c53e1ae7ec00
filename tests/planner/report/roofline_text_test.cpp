// Tests the report about how close kernels come to the limits of the device.
#include "planner/report/roofline_text.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns a kernel whose bytes take 1 ms. Other `channels` make another kernel.
RooflineKernel by_memory(const std::string& layer, std::int64_t channels, double seconds) {
  KernelSpec spec;
  spec.kind = KernelKind::relu;
  spec.in = spec.out = {.extents = {1, channels, 1, 1, 1}};
  return {.operation = layer + "/forward",
          .place = {.part = OperationPart::forward, .layer = layer},
          .spec = spec,
          .bound = {.flops = 5.0, .bytes = 1e9, .bytes_s = 1e-3},
          .seconds = seconds};
}

RooflineKernel by_arithmetic(const std::string& layer, double seconds) {
  return {.operation = layer + "/backward_filter",
          .place = {.part = OperationPart::backward_filter, .layer = layer},
          .spec = {},
          .bound = {.flops = 4e12, .bytes = 2e9, .flops_s = 4e-3, .bytes_s = 2e-3, .saving = 2.0},
          .seconds = seconds,
          .estimated = true};
}

Roofline three_rows() {
  RooflineKernel update = by_memory("", 3, 1.5e-3);
  update.place = {.part = OperationPart::update};
  return {.profile_command = "cnnplan profile --missing-from plan.json",
          .rank = 2,
          .step_s = 0.020,
          .roof = {.flops_per_s = 1e15, .bytes_per_s = 1e12, .source = "nominal"},
          .kernels = {by_memory("relu1", 1, 2e-3),
                      by_arithmetic("conv1", 5e-3),
                      by_memory("relu2", 1, 3e-3),
                      update}};
}

}  // namespace

TEST_CASE("roofline: the whole text") {
  CHECK(to_text(three_rows(), false) ==
        R"(Kernels that memory bounds take 32.5 % of the step of 20.000 ms, and kernels
that arithmetic bounds take 25.0 %. At their bounds, all of them would take
7.000 ms, 35.0 % of the step. Most time above the bounds is lost by relu1 fwd
and 1 equal one (3.000 ms), sgd update (500.000 us). 1 of 3 rows is estimated,
so what its kernels lose is not known: time them
(cnnplan profile --missing-from plan.json), first conv1 bwd filter (5.000 ms).

Rates: 1.000 TB/s of memory and 1000.000 Tflop/s of convolutions (nominal). A
kernel is bound by its bytes (mem), or by the operations of a convolution (flop)
if they take longer. Flop counts are those of direct convolution. Methods that
save operations, as Winograd's does, make bounds up to 2.00 times shorter. %:
the bound as a share of a timed kernel's time. Kernels are those of rank 2,
which has the most work. +N: with N equal kernels.
layer  more  part          GB  Tflop  by    bound ms  time ms    %
------------------------------------------------------------------
relu1    +1  fwd         2.00      -  mem       2.00     5.00   40
sgd          update      1.00      -  mem       1.00     1.50   67
conv1        bwd filter  2.00   4.00  flop      4.00     5.00*   -
------------------------------------------------------------------
all 4                    5.00   4.00            7.00    11.50*   -
)");
}

TEST_CASE("roofline: the narrow table has at most twelve rows and one for the others") {
  Roofline roofline = three_rows();
  for (std::int64_t channels = 10; channels < 30; ++channels) {
    roofline.kernels.push_back(by_memory("layer" + std::string(100, 'a'), channels, 1e-3));
  }
  const std::string text = to_text(roofline, false);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    CHECK(end - begin <= usual_columns);
    begin = end + 1;
  }
  CHECK(contains(text, "\n11 others "));
  CHECK(contains(text, "\nall 24 "));
  CHECK(contains(text, "--wide shows all"));
  const std::string wide = to_text(roofline, true);
  CHECK_FALSE(contains(wide, "others"));
  CHECK(contains(wide, std::string(100, 'a')));
}

TEST_CASE("roofline: kernels at their bounds lose nothing") {
  Roofline roofline = three_rows();
  roofline.kernels = {by_memory("relu1", 1, 1e-3), by_memory("relu2", 2, 0.5e-3)};
  const std::string text = to_text(roofline, false);
  CHECK_FALSE(contains(text, "lost"));
  CHECK_FALSE(contains(text, "estimated"));
  CHECK(contains(text, " 200\n"));
  CHECK(contains(to_text(roofline, false, 1000), " 1 row takes less than the bound, because "));
}

TEST_CASE("roofline: estimates lose nothing that is known, and the longest ones are to be timed") {
  Roofline roofline = three_rows();
  for (RooflineKernel& kernel : roofline.kernels) kernel.estimated = true;
  const std::string text = to_text(roofline, false, 1000);
  CHECK_FALSE(contains(text, "lost by"));
  CHECK_FALSE(contains(text, "%:"));
  CHECK(contains(text, "All times are estimated, so what kernels lose is not known: time them "));
  CHECK(contains(text, "first relu1 fwd and 1 equal one (5.000 ms), conv1 bwd filter (5.000 ms),"));
}

}  // namespace cnnplan
