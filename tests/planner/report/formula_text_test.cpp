// Tests how the formula of a price is written, with units, range and sum.
#include "planner/report/formula_text.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("to_text: counts, bytes and rates each in their units") {
  const std::vector<FormulaTerm> messages{
      {.figure = "node.alpha_s", .value = 1.2e-6, .amount = 2},
      {.figure = "node.beta_s_per_byte", .value = 6.1e-11, .amount = 229376, .unit = "B"},
      {.figure = "gamma_s_per_byte", .value = 1e-10, .amount = 1000.0 / 3, .unit = "B"}};
  CHECK(to_text(messages) ==
        "2 x node.alpha_s 1.200 us + 229376 B x node.beta_s_per_byte 0.06100 ns/B + "
        "333.333 B x gamma_s_per_byte 0.1000 ns/B");
  const std::vector<FormulaTerm> rates{
      {.figure = "overhead_s", .value = 2e-6},
      {.figure = "flops_per_s", .value = 5e10, .amount = 1.2e9, .unit = "flop", .is_rate = true}};
  CHECK(to_text(rates) == "overhead_s 2.000 us + 1.200 Gflop / flops_per_s 50.000 Gflop/s");
  const std::vector<FormulaTerm> corrected{
      {.value = 0.8, .amount = 0.004, .unit = "s", .is_rate = true}};
  CHECK(to_text(corrected) == "4.000 ms / 0.800");
}

TEST_CASE("to_text: the priced operation with its range, if it has one, and the sum below") {
  const std::vector<FormulaTerm> median{{.figure = "median_s", .value = 0.01}};
  const std::vector<Formula> formulas{{.operation = "conv1/forward",
                                       .rank = 1,
                                       .seconds = 0.01,
                                       .low_s = 0.009,
                                       .high_s = 0.012,
                                       .what = "profiled",
                                       .terms = median},
                                      {.operation = "conv1/forward/halo", .what = "nothing to do"}};
  CHECK(to_text(formulas) ==
        R"(prices, on the rank where each operation takes longest, nobody waiting
conv1/forward: 10.000 ms on rank 1, profiled (9.000 ms to 12.000 ms)
    = median_s 10.000 ms
conv1/forward/halo: 0.000 us on rank 0, nothing to do
)");
}

}  // namespace cnnplan
