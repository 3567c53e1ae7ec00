// Tests run files: refusals and round trips.
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "planner/run/run.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("parse_run: refusals name pointer, value and what is allowed") {
  check_refusals(
      to_json(sample_run()),
      parse_run,
      {
          {"cnnplan.run/2", "cnnplan.plan/2", "/schema", "plan/2", "run/2\" or \"cnnplan.run/1"},
          {"\"backend\"", "\"back\"", "/back", "unknown key", "backend"},
          {"\"ranks\": 4", "\"ranks\": 4.5", "/ranks", "4.5", "an integer from 1 to 1048576"},
          {"\"batch\": 6", "\"batch\": 0", "/batch", "0", "an integer from 1 to 2147483647"},
          {"\"count\": 20", "\"count\": -1", "/step/count", "-1", "an integer from 0 to"},
          {"\"median_s\": 0.25, ", "", "/step/median_s", "nothing", "a number from 0"},
          {"\"step\": {", "\"step\": {\"mean_s\": 1, ", "/step/mean_s", "unknown key", "median_s"},
          {"-0.5", "null", "/loss/1", "null", "a number"},
          {"-0.5", "\"nan\"", "/loss/1", "\"nan\"", "a number"},
          {"\"step\": 9", "\"step\": -1", "/gradient_checks/1/step", "-1", "an integer from 0"},
          {"\"cycles\": 2", "\"cycles\": 0", "/gradient_checks/0/cycles", "0", "from 1 to 1000"},
          {"0.75", "1.5", "/gradient_checks/0/cosine", "1.5", "a number from -1.0 to 1.0"},
          {"3e-09", "-3", "/gradient_checks/0/forward_residuals/2", "-3", "a number from 0"},
          {"0.125", "-1", "/gradient_checks/0/relative_error", "-1", "a number from 0"},
          {"\"cosine\"", "\"sine\"", "/gradient_checks/0/sine", "unknown key", "cosine"},
          {"0.89", "1.5", "/test_accuracy/1", "1.5", "a number from 0.0 to 1.0"},
          {"0.89", "-1", "/test_accuracy/1", "-1", "a number from 0.0 to 1.0"},
          {"\"a~b\"", "3", "/environment/host~1name", "3", "a string"},
          {"\"id\": \"conv/halo\"", "\"id\": \"\"", "/operations/1/id", "\"\"", "not empty"},
          {"\"part\": \"halo\",", "", "/operations/1/part", "nothing", "\"halo\""},
          {"\"part\": \"halo\"", "\"part\": \"hello\"", "/operations/1/part", "hello", "\"halo\""},
          {"\"ranks\": 2", "\"ranks\": 0", "/operations/1/ranks", "0", "an integer from 1"},
          {"123456789", "-123456789", "/peak_memory_bytes", "-123456789", "from 0"},
          {"234567891", "-234567891", "/process_peak_bytes", "-234567891", "from 0"},
          {"\"in_turns\": true", "\"in_turns\": 1", "/in_turns", "1", "true or false"},
          {"\"first_step\": 7", "\"first_step\": -7", "/trace/first_step", "-7", "from 0"},
          {"0.03125", "1.5", "/trace/ranks/1/clock/drift", "1.5", "a number from -1.0 to 1.0"},
          {"2e-06", "-2", "/trace/ranks/1/clock/round_trip_s", "-2", "a number from 0"},
          {"[1, 0]", "[1, 2]", "/trace/ranks/1/operations/1", "2", "in /operations"},
          {"[1, 0]", "[1, 1]", "/trace/ranks/1/operations/1", "1", "each place once"},
          {"1700", "-1", "/trace/ranks/0/steps/0/begin_ns/1", "-1", "an integer from 0"},
          {"[1600, 43]", "[43]", "/trace/ranks/0/steps/0/duration_ns", "list of 1", "2"},
          {", {\"begin_ns\": [8], \"duration_ns\": [9]}",
           "",
           "/trace/ranks/2/steps",
           "list of 1",
           "2"},
      });
}

TEST_CASE("to_json: runs come back equal") {
  CHECK(parse_run(to_json(sample_run()), "r.json") == sample_run());
  CHECK(parse_run(to_json(RunReport{}), "r.json") == RunReport{});
}

TEST_CASE("to_json: a loss that is not finite cannot be written") {
  RunReport run = sample_run();
  run.loss[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(to_json(run), doctest::Contains("/loss/2"), NotFiniteError);
}

TEST_CASE("to_json: random runs come back equal") {
  RandomValues random(5);
  for (int trial = 0; trial < 200; ++trial) {
    RunReport run{
        .network = random.text(),
        .ranks = random.small(1, 1048576),
        .batch = random.integer(extent_range),
        .backend = random.text(),
        .device = random.text(),
        .step = {random.seconds(), random.seconds(), random.seconds(), random.small(0, 99)}};
    for (std::int64_t i = random.integer(0, 20); i > 0; --i) {
      run.operations.push_back({.id = random.text(),
                                .time = run.step,
                                .ranks = random.small(1, 8),
                                .place = {.part = OperationPart::forward, .layer = random.text()}});
      run.loss.push_back(random.fraction() * 1e3 - 500);
      run.gradient_checks.push_back({random.integer(count_range),
                                     random.small(1, 1000),
                                     2.0 * random.fraction() - 1.0,
                                     random.seconds(),
                                     {random.seconds(), random.seconds()},
                                     {random.seconds()}});
      run.environment[random.text()] = random.text();
    }
    if (random.boolean()) run.test_accuracy = {random.fraction(), random.fraction()};
    if (random.boolean()) run.test_loss = {100 * random.fraction()};
    run.peak_memory_bytes = random.integer(bytes_range);
    run.process_peak_bytes = random.integer(bytes_range);
    run.in_turns = random.boolean();
    CHECK(parse_run(to_json(run), "r.json") == run);
  }
}

}  // namespace
}  // namespace cnnplan::test
