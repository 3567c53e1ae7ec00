// Tests the comparison of a run with its plan: errors of layers, missing operations, refusals,
// text.
#include "planner/report/compare.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/report/small_plan.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

Measured measured(double median_s) {
  return {.median_s = median_s, .min_s = 0.9 * median_s, .max_s = 1.1 * median_s, .count = 7};
}

// Returns a run in which all predicted times come true. Tests change some of them.
RunReport small_run() {
  RunReport run;
  run.network = "small";
  run.ranks = 2;
  run.batch = 4;
  run.step = measured(0.125);
  for (const PredictedOperation& operation : small_plan().prediction.operations) {
    run.operations.push_back({operation.id, measured(operation.predicted_s), 2, operation.place});
  }
  return run;
}

MeasuredOperation& operation(RunReport& run, const std::string& id) {
  for (MeasuredOperation& candidate : run.operations) {
    if (candidate.id == id) return candidate;
  }
  throw std::logic_error("no such operation");
}

const ComparedTime& group(const Comparison& comparison, const std::string& name) {
  for (const ComparedTime& candidate : comparison.groups) {
    if (candidate.name == name) return candidate;
  }
  throw std::logic_error("no such group");
}

std::string refused_pointer(const RunReport& run) {
  try {
    compare(small_plan(), run, {});
  } catch (const InputError& error) {
    return error.problem().pointer;
  }
  return "accepted";
}

const ComparedFiles files{.plan = "my plan.json", .run = "my run.json"};

}  // namespace

TEST_CASE("compare: if all times come true, only the step has an error") {
  const Comparison comparison = compare(small_plan(), small_run(), {});
  CHECK(comparison.operations.size() == 12);
  CHECK(comparison.only_predicted.empty());
  CHECK(comparison.only_measured.empty());
  CHECK(comparison.mean_error == 0.0);
  CHECK(comparison.weighted_mean_error == 0.0);
  CHECK(comparison.max_error == 0.0);
  CHECK(comparison.step.error() == relative(0.2));
}

TEST_CASE("compare: errors of layers are of their sums, against what was measured") {
  RunReport run = small_run();
  operation(run, "conv1/forward").time = measured(0.0475);  // conv1: 62.5 predicted, 100 measured
  operation(run, "sgd/0").time = measured(0.0035);          // sgd: 7 predicted, 3.5 measured
  const Comparison comparison = compare(small_plan(), run, {});
  CHECK(group(comparison, "conv1").predicted_s == relative(0.0625));
  CHECK(group(comparison, "conv1").measured_s == relative(0.1));
  CHECK(group(comparison, "conv1").error() == relative(0.375));
  CHECK(group(comparison, "sgd").error() == relative(1.0));
  // The groups are data, conv1, bn1, fc, reduce and sgd.
  CHECK(comparison.groups.size() == 6);
  CHECK(comparison.mean_error == relative((0.375 + 1.0) / 6));
  CHECK(comparison.weighted_mean_error == relative(0.041 / 0.1245));
  CHECK(comparison.max_error == relative(1.0));
  CHECK(comparison.max_error_group == "sgd");
}

TEST_CASE("compare: operations that one side lacks are listed and count in no sum") {
  RunReport run = small_run();
  operation(run, "fc/forward/shuffle").id = "fc/backward/shuffle";
  const Comparison comparison = compare(small_plan(), run, {});
  REQUIRE(comparison.only_predicted.size() == 1);
  REQUIRE(comparison.only_measured.size() == 1);
  CHECK(comparison.only_predicted[0].id == "fc/forward/shuffle");
  CHECK(comparison.only_measured[0].id == "fc/backward/shuffle");
  CHECK(group(comparison, "fc").predicted_s == relative(0.005));
  const std::string text = to_text(comparison);
  CHECK(text.find("predicted, not measured:\n  fc/forward/shuffle") != std::string::npos);
  CHECK(text.find("measured, not predicted:\n  fc/backward/shuffle") != std::string::npos);
}

TEST_CASE("compare: a run of something else is refused") {
  CHECK(refused_pointer(small_run()) == "accepted");
  RunReport run = small_run();
  run.network = "large";
  CHECK(refused_pointer(run) == "/network");
  run = small_run();
  run.ranks = 4;
  CHECK(refused_pointer(run) == "/ranks");
  run = small_run();
  run.batch = 8;
  CHECK(refused_pointer(run) == "/batch");
}

TEST_CASE("compare: a refusal names the files that the user named") {
  RunReport run = small_run();
  run.ranks = 4;
  const InputProblem problem = test::problem_of([&] { compare(small_plan(), run, files); });
  CHECK(problem.file == "my run.json");
  CHECK(problem.value == "4");
  CHECK(problem.allowed == "2, as in my plan.json");
}

TEST_CASE("require_run_of: a run of another plan of the same network is refused") {
  RunReport run = small_run();
  CHECK_NOTHROW(require_run_of("abc", run, files));
  run.inputs = {{.file = "plan.json", .sha256 = "abc"}, {.file = "data.h5", .sha256 = "def"}};
  CHECK_NOTHROW(require_run_of("abc", run, files));
  const InputProblem problem = test::problem_of([&] { require_run_of("def", run, files); });
  CHECK(problem.file == "my run.json");
  CHECK(problem.pointer == "/inputs/0/sha256");
  CHECK(problem.value == "\"abc\"");
  CHECK(test::contains(problem.allowed, "\"def\", the digest of my plan.json"));
}

TEST_CASE("compare: times of ranks that took turns on a GPU are not compared") {
  RunReport run = small_run();
  run.in_turns = true;
  const ComparedFiles files{.plan = "p.json", .run = "my run.json"};
  const InputProblem problem = test::problem_of([&] { compare(small_plan(), run, files); });
  CHECK(problem.file == "my run.json");
  CHECK(problem.pointer == "/in_turns");
  CHECK(test::contains(problem.allowed, "share it by MPS"));
}

TEST_CASE("compare: memory is shown where both sides know it") {
  RunReport run = small_run();
  CHECK_FALSE(test::contains(to_text(compare(small_plan(), run, {})), "memory"));
  run.peak_memory_bytes = 5 << 20;
  Plan plan = small_plan();
  CHECK(test::contains(to_text(compare(plan, run, {}), std::string::npos),
                       "memory of a rank: predicted 4.00 MiB, allocated 5.00 MiB\n"));
  run.process_peak_bytes = 6 << 20;
  CHECK(test::contains(to_text(compare(plan, run, {}), std::string::npos),
                       "allocated 5.00 MiB, peak of the process 6.00 MiB (1.50 of the "
                       "prediction, which leaves it out)\n"));
  plan.prediction.memory.process_bytes = 1 << 20;
  CHECK(test::contains(to_text(compare(plan, run, {}), std::string::npos),
                       "predicted 5.00 MiB, allocated 5.00 MiB, peak of the process 6.00 MiB "
                       "(1.20 of the prediction)\n"));
  plan.prediction.memory = {};
  CHECK_FALSE(test::contains(to_text(compare(plan, run, {}), std::string::npos), "memory"));
}

TEST_CASE("compare: one line says when, where and by what a run was made") {
  RunReport run = small_run();
  run.environment = {{"library", "oneDNN 2.6.3"}};
  CHECK_FALSE(test::contains(to_text(compare(small_plan(), run, {})), "run: "));
  run.environment["host"] = "ci-7";
  run.environment["commit"] = "779a21c61b5e";
  CHECK(
      to_text(compare(small_plan(), run, {})).ends_with("\nrun: host ci-7, commit 779a21c61b5e\n"));
  run.environment["date"] = "2026-11-29T14:17:10Z";
  run.environment["processor"] = "AMD EPYC";
  const std::string line =
      "\nrun: 2026-11-29T14:17:10Z, host ci-7, AMD EPYC, commit 779a21c61b5e\n";
  CHECK(to_text(compare(small_plan(), run, {})).ends_with(line));
  CHECK(short_text(compare(small_plan(), run, {})).ends_with(line));
}

TEST_CASE("likely_reason: a step in the range of the prediction, or next to it, needs none") {
  RunReport run = small_run();
  CHECK_FALSE(likely_reason(small_plan(), run, {}).text.empty());
  for (const double step_s : {0.119, 0.091, 0.12}) {
    run.step = measured(step_s);
    CHECK(likely_reason(small_plan(), run, {}).text.empty());
  }
  Plan plan = small_plan();
  plan.prediction.low_s = plan.prediction.high_s = 0.0;  // no range is known
  run.step = measured(0.104);
  CHECK(likely_reason(plan, run, {}).text.empty());
  run.step = measured(0.12);
  CHECK_FALSE(likely_reason(plan, run, {}).text.empty());
}

TEST_CASE("likely_reason: the first of device, estimates, disturbance and layer that holds") {
  RunReport run = small_run();
  Plan plan = small_plan();
  const auto reason = [&] { return likely_reason(plan, run, files).text; };
  operation(run, "conv1/forward").time = measured(0.044);  // the step has 25 ms more, this has 34
  CHECK(reason() == "the kernels of conv1, predicted as 60.500 ms and measured as 94.500 ms");
  operation(run, "conv1/forward/halo").time = measured(0.051);
  CHECK(reason() == "the communication of conv1, predicted as 2.000 ms and measured as 51.000 ms");
  run.step.min_s = 0.09;
  CHECK(reason() ==
        "the machine was disturbed, since steps took 90.000 ms to 137.500 ms; the prediction is "
        "11.1 % off the fastest step");
  auto& operations = plan.prediction.operations;
  operations.at(10).estimated = true;  // 15.5 ms of reduce/0
  CHECK(
      test::contains(reason(), "messages, sums and copies that take 15.5 % of the predicted step"));
  operations.at(8).estimated = true;  // 20 ms of conv1
  CHECK(reason() ==
        "kernels that take 24.5 % of the predicted step are estimated, not measured; time them "
        "with cnnplan profile --missing-from 'my plan.json'");
  plan.device = "NVIDIA H200, 1980 MHz; cudnn (9.1); 1 busy rank";
  run.device = "AMD EPYC, 1 thread";
  const std::string other =
      "planned for NVIDIA H200, ran on AMD EPYC, so predicted times do not apply";
  CHECK(reason() == other);
  run.step = measured(0.1);  // as predicted by accident
  CHECK(compare(plan, run, files).reason.text == other);
}

TEST_CASE("ComparedTime: error against nothing measured") {
  CHECK(ComparedTime{"a", 0.0, 0.0}.error() == 0.0);
  CHECK(std::isinf(ComparedTime{"a", 1.0, 0.0}.error()));
  CHECK(ComparedTime{"a", 0.0, 2.0}.error() == 1.0);
}

TEST_CASE("compare: the whole text") {
  RunReport run = small_run();
  operation(run, "sgd/0").time = measured(0.0035);
  CHECK(to_text(compare(small_plan(), run, {})) ==
        R"(small: 2 ranks, batch 4; 7 steps measured, 112.500 ms to 137.500 ms

layer             predicted [ms]  measured [ms]  error [%]
----------------------------------------------------------
sgd                        7.000          3.500      100.0
data                       1.000          1.000        0.0
conv1                     62.500         62.500        0.0
bn1                        7.500          7.500        0.0
fc                         6.500          6.500        0.0
reduce                     6.000          6.000        0.0
rest of the step           9.500         38.000
----------------------------------------------------------
step                     100.000        125.000      -20.0

layers: mean error 16.7 %, weighted by time 4.0 %, largest 100.0 % (sgd)
step: error 20.0 %
likely reason: the rest of the step, predicted as 9.500 ms and measured as
38.000 ms
)");
}

TEST_CASE("compare: sentences fit the columns, and the table is as wide as it is") {
  const Comparison comparison = compare(small_plan(), small_run(), {});
  CHECK(
      to_text(comparison, 40)
          .starts_with("small: 2 ranks, batch 4; 7 steps\nmeasured, 112.500 ms to 137.500 ms\n\n"));
  const std::string row = "\nconv1                     62.500         62.500        0.0\n";
  CHECK(test::contains(to_text(comparison, 40), row));
  CHECK(test::contains(to_text(comparison, 40), "weighted by\ntime 0.0 %"));
}

TEST_CASE("compare: the short text") {
  RunReport run = small_run();
  operation(run, "sgd/0").time = measured(0.0035);
  operation(run, "data/load").time = measured(0.0012);
  CHECK(short_text(compare(small_plan(), run, {})) ==
        R"(Means over ranks, those furthest off first; off: predicted less measured; error:
off / measured. 7 steps measured, 112.500 ms to 137.500 ms.
layer             predicted [ms]  measured [ms]  off [ms]  error [%]
--------------------------------------------------------------------
sgd                        7.000          3.500     3.500      100.0
conv1                     62.500         62.500     0.000        0.0
bn1                        7.500          7.500     0.000        0.0
fc                         6.500          6.500     0.000        0.0
reduce                     6.000          6.000     0.000        0.0
data                       1.000          1.200    -0.200      -16.7
rest of the step           9.500         37.800   -28.300
--------------------------------------------------------------------
step                     100.000        125.000   -25.000      -20.0

layers: mean error 19.4 %, weighted by time 4.2 %, largest 100.0 % (sgd)
step: error 20.0 %
likely reason: the rest of the step, predicted as 9.500 ms and measured as
37.800 ms
)");
}

TEST_CASE("compare: small layers share a row, but none with 2 % of the step does") {
  RunReport run = small_run();
  Plan plan = small_plan();
  plan.prediction.step_s = run.step.median_s = 0.99 * 0.007 / compared_row_share;
  const std::string text = short_text(compare(plan, run, {}));
  for (const char* large : {"\nconv1  ", "\nbn1  ", "\nsgd  "}) CHECK(test::contains(text, large));
  CHECK(test::contains(text, "\ndata                +2          13.500         13.500"));
  CHECK(test::contains(text, "+N: with N more"));
  operation(run, "fc/forward").time = measured(0.5);  // large as measured, small as predicted
  CHECK(test::contains(short_text(compare(plan, run, {})), "\nfc  "));
}

TEST_CASE("compare: long lists of unmatched operations are cut in the short text alone") {
  RunReport run = small_run();
  for (MeasuredOperation& operation : run.operations) operation.id += "/other";
  const Comparison comparison = compare(small_plan(), run, {});
  CHECK(test::contains(short_text(comparison), "  and 7 more: --wide lists all\n"));
  CHECK_FALSE(test::contains(to_text(comparison), "more: --wide"));
}

TEST_CASE("compare: one row") {
  const Comparison comparison = compare(small_plan(), small_run(), {});
  const std::string text = row_text(comparison, "bn1");
  CHECK(test::contains(text, "\nbn1             7.500          7.500     0.000        0.0\n"));
  CHECK_FALSE(test::contains(text, "conv1"));
  const InputProblem problem = test::problem_of([&] { row_text(comparison, "conv2"); });
  CHECK(problem.file == "--layer");
  CHECK(test::contains(problem.allowed, "conv1"));
}

}  // namespace cnnplan
