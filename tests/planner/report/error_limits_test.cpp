// Tests which figures of a comparison have limits, and when they hold them.
#include "planner/report/error_limits.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan {
namespace {

Comparison comparison() {
  Comparison comparison;
  comparison.step = {"step", 0.1, 0.125};
  comparison.predicted_memory_bytes = 3 << 20;
  comparison.allocated_memory_bytes = 4 << 20;
  comparison.process_peak_bytes = 6 << 20;
  return comparison;
}

const ComparedFiles files{.plan = "p.json", .run = "r.json"};

std::string place_of_problem(const Comparison& comparison) {
  const InputProblem problem =
      test::problem_of([&] { gated_figures(comparison, {.memory = 0.1}, files); });
  return problem.file + problem.pointer;
}

}  // namespace

TEST_CASE("gated_figures: only the step has a limit unless memory is given one") {
  const auto figures = gated_figures(comparison(), {.step = 0.2}, files);
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].gate == Gate::step);
  CHECK(figures[0].predicted == "100.000 ms");
  CHECK(figures[0].measured == "125.000 ms");
  CHECK(figures[0].holds());  // off by 20 %
  const auto strict = gated_figures(comparison(), {.step = 0.19}, files);
  CHECK_FALSE(strict[0].holds());
  CHECK(strict[0].message() ==
        "the predicted step is 20.0 % off the measured one; allowed: 19.0 %");
}

TEST_CASE("GatedFigure: small limits, and errors close to a limit, have more digits") {
  CHECK(GatedFigure{.error = 0.2, .limit = 1e-4}.message() ==
        "the predicted step is 20.00 % off the measured one; allowed: 0.01 %");
  CHECK(GatedFigure{.error = 0.15002, .limit = 0.15}.message() ==
        "the predicted step is 15.002 % off the measured one; allowed: 15.000 %");
  CHECK(GatedFigure{.limit = 1e-4}.limit_text() == "0.01 %");
}

TEST_CASE("gated_figures: memory is compared with the figure that the prediction is about") {
  Comparison compared = comparison();
  const GatedFigure allocated = gated_figures(compared, {.memory = 0.3}, files).back();
  CHECK(allocated.measured == "4.00 MiB");
  CHECK(allocated.error == 0.25);
  CHECK(allocated.holds());
  compared.predicted_process = true;
  const GatedFigure peak = gated_figures(compared, {.memory = 0.3}, files).back();
  CHECK(peak.measured == "6.00 MiB");
  CHECK(peak.message() ==
        "the predicted memory of a rank is 50.0 % off the measured one; allowed: 30.0 %");
  CHECK_FALSE(peak.holds());
}

TEST_CASE("gated_figures: a limit for memory that a side does not know is refused") {
  Comparison compared = comparison();
  compared.allocated_memory_bytes = 0;
  CHECK(place_of_problem(compared) == "r.json/peak_memory_bytes");
  compared.predicted_process = true;
  compared.process_peak_bytes = 0;
  CHECK(place_of_problem(compared) == "r.json/process_peak_bytes");
  compared.predicted_memory_bytes = 0;
  CHECK(place_of_problem(compared) == "p.json/prediction/memory");
  CHECK_NOTHROW(gated_figures(compared, {}, files));
}

}  // namespace cnnplan
