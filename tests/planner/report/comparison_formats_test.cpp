// Tests the Markdown and the JUnit document of a comparison.
#include "planner/report/comparison_formats.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan {
namespace {

// Returns a comparison with names that break what does not escape them.
Comparison comparison() {
  Comparison comparison;
  comparison.network = "a<b";
  comparison.ranks = 2;
  comparison.batch = 4;
  comparison.step = {"step", 0.1, 0.125};
  comparison.measured_step = {.median_s = 0.125, .min_s = 0.12, .max_s = 0.14, .count = 7};
  comparison.groups = {{"small", 0.001, 0.001},
                       {"x|y\"z", 0.02, 0.03},
                       {"idle", 0.002, 0.0},
                       {"slow", 0.04, 0.048},
                       {"sgd", 0.004, 0.0035}};
  return comparison;
}

Comparison with_memory() {
  Comparison compared = comparison();
  compared.predicted_memory_bytes = 5 << 20;
  compared.allocated_memory_bytes = 4 << 20;
  compared.environment = {
      {"date", "2026-11-29T14:17:10Z"}, {"host", "ci|7"}, {"command", "cnnexec 'a & b.json'"}};
  return compared;
}

std::string markdown_of(const Comparison& compared, const ErrorLimits& limits) {
  return markdown_text(compared, gated_figures(compared, limits, {}));
}

std::string junit_of(const Comparison& compared, const ErrorLimits& limits) {
  return junit_text(compared, gated_figures(compared, limits, {}));
}

}  // namespace

TEST_CASE("markdown_text: the answer first, then one table") {
  CHECK(
      markdown_of(comparison(), {.step = 0.25}) ==
      R"(**The prediction holds.** The predicted step is 20.0 % off the measured one; allowed: 25.0 %.

<code>a&#60;b</code> on 2 ranks, batch 4: 7 steps measured, 120.000 ms to 140.000 ms. The layers furthest off follow, the furthest first.

| | predicted | measured | error | limit |
| --- | ---: | ---: | ---: | ---: |
| step | 100.000 ms | 125.000 ms | -20.0 % | 25.0 % |
| <code>x&#124;y&#34;z</code> | 20.000 ms | 30.000 ms | -33.3 % | |
| <code>slow</code> | 40.000 ms | 48.000 ms | -16.7 % | |
| <code>idle</code> | 2.000 ms | 0.000 us | - | |
)");
}

TEST_CASE("markdown_text: the rest of the step is named where it is furthest off") {
  Comparison compared = comparison();
  compared.step.measured_s = 0.135;
  CHECK(
      test::contains(markdown_of(compared, {}),
                     " first. The rest of the step is off by more than any layer, -19.500 ms.\n"));
  compared.groups.back().predicted_s = 0.04;  // Operations overlap.
  CHECK_FALSE(test::contains(markdown_of(compared, {}), "The rest"));
}

TEST_CASE("markdown_text: figures outside their limits, memory, and where the run was made") {
  const std::string text = markdown_of(with_memory(), {.step = 0.15, .memory = 0.3});
  CHECK(text.starts_with(
      "**The prediction is outside its limit.** The predicted step is 20.0 % off the measured one; "
      "allowed: 15.0 %. The predicted memory of a rank is 25.0 % off the measured one; allowed: "
      "30.0 %.\n"));
  CHECK(test::contains(text, "\n| memory of a rank | 5.00 MiB | 4.00 MiB | 25.0 % | 30.0 % |\n"));
  CHECK(text.ends_with("\nMeasured: <code>2026-11-29T14&#58;17&#58;10Z, host ci&#124;7</code>\n"));
  CHECK(test::contains(markdown_of(with_memory(), {}), "| 4.00 MiB | 25.0 % | |\n"));
}

TEST_CASE("junit_text: one test case for each limit") {
  CHECK(junit_of(comparison(), {.step = 0.25}) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="cnnplan compare" tests="1" failures="0" errors="0" skipped="0" time="0.125000">
<properties>
<property name="batch" value="4"/>
<property name="network" value="a&#60;b"/>
<property name="ranks" value="2"/>
</properties>
<testcase classname="a&#60;b, 2 ranks, batch 4" name="predicted step" time="0.125000"/>
</testsuite>
</testsuites>
)");
}

TEST_CASE("junit_text: failures have the message of the text, and the layers furthest off") {
  const std::string text = junit_of(with_memory(), {.step = 0.15, .memory = 0.1});
  CHECK(test::contains(text, " tests=\"2\" failures=\"2\" "));
  CHECK(test::contains(text, " timestamp=\"2026-11-29T14:17:10\" hostname=\"ci|7\">"));
  CHECK(test::contains(text, "name=\"command\" value=\"cnnexec &#39;a &#38; b.json&#39;\"/>"));
  CHECK(test::contains(
      text,
      "name=\"predicted step\" time=\"0.125000\">\n<failure message=\"the predicted step is 20.0 % "
      "off the measured one; allowed: 15.0 %\" type=\"prediction_outside_limit\">predicted 100.000 "
      "ms, measured 125.000 ms&#10;7 steps measured, 120.000 ms to 140.000 ms&#10;x|y&#34;z: "
      "predicted 20.000 ms, measured 30.000 ms&#10;slow: "));
  CHECK(test::contains(
      text,
      "name=\"predicted memory of a rank\" time=\"0.000000\">\n<failure message=\"the predicted "
      "memory of a rank is 25.0 % off the measured one; allowed: 10.0 %\" "
      "type=\"prediction_outside_limit\">predicted 5.00 MiB, measured 4.00 MiB</failure>"));
  const std::string one = junit_of(with_memory(), {.step = 0.25, .memory = 0.1});
  CHECK(test::contains(one, " tests=\"2\" failures=\"1\" "));
  CHECK(test::contains(one, "name=\"predicted step\" time=\"0.125000\"/>"));
}

}  // namespace cnnplan
