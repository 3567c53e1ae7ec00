// Errors in the middle: what ends the benchmark, and what does not.
#include <string>

#include <cudnn.h>
#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/profiler/cudnn_bench/bench_run.hpp"

namespace cnnplan::test {
namespace {

// Makes the `nth` call after the first line of this kind fail.
BenchRun run_with_failure(const std::string& line_before,
                          const std::string& function,
                          int nth,
                          int error) {
  emulation::reset(small_device());
  bool armed = false;
  return run_bench(small_options(), [&](const nlohmann::json& line) {
    if (armed || line.at("line") != line_before) return;
    armed = true;
    emulation::fail(function, nth, error);
  });
}

// Errors of engines except the one that cannot be planned.
int unexpected_errors(const BenchRun& run) {
  int count = 0;
  for (const nlohmann::json& line : run.of("engine")) {
    if (line.contains("error") && line.value("engine_index", 0) != 3) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Failures: an engine that fails when it runs is a line, and the others run") {
  const BenchRun whole = run_with_failure("engine", "cudaMalloc", 100000, cudaErrorUnknown);
  CHECK(unexpected_errors(whole) == 0);
  for (int nth : {1, 2, 7}) {
    const BenchRun run =
        run_with_failure("engine", "cudnnBackendExecute", nth, CUDNN_STATUS_EXECUTION_FAILED);
    CHECK(run.code == ExitCode::ok);
    CHECK(unexpected_errors(run) == 1);
    CHECK(run.lines.size() == whole.lines.size());
    CHECK(run.last().at("done") == true);
  }
}

TEST_CASE("Failures: an own kernel that fails is a line, and the others run") {
  const BenchRun run = run_with_failure("copy", "kernel", 2, cudaErrorInvalidConfiguration);
  CHECK(run.code == ExitCode::ok);
  CHECK(run.last().at("done") == true);
  CHECK(run.last().at("own_failed").get<int>() + unexpected_errors(run) == 1);
}

TEST_CASE("Failures: operands without memory are a line") {
  const BenchRun run = run_with_failure("copy", "cudaMalloc", 2, cudaErrorMemoryAllocation);
  CHECK(run.code == ExitCode::ok);
  CHECK(run.last().at("done") == true);
  int errors = 0;
  for (const nlohmann::json& line : run.lines) {
    if (line.value("error", "").find("memory") != std::string::npos) ++errors;
  }
  CHECK(errors == 1);
}

TEST_CASE("Failures: a lost device ends the benchmark with the culprit's name") {
  for (const std::string before : {"engine", "own"}) {
    const BenchRun run = run_with_failure(before, "work", 9, cudaErrorIllegalAddress);
    CHECK(run.code == ExitCode::environment);
    CHECK(run.last().at("line") == "done");
    CHECK(run.last().at("done") == false);
    const std::string error = run.last().at("error");
    CHECK(error.find(", in the first run of ") != std::string::npos);
    const nlohmann::json& culprit = run.lines[run.lines.size() - 2];
    CHECK(culprit.contains("error"));
    CHECK(error.find(culprit.at("kind").get<std::string>()) != std::string::npos);
    const std::string name = culprit.value("engine", "");
    CHECK(error.find(name) != std::string::npos);
    const std::string last_named = run.log.substr(run.log.rfind("cudnn_bench: "));
    CHECK(last_named.find(name) != std::string::npos);
  }
}

TEST_CASE("Failures: a device that is lost during the product has a culprit, too") {
  const BenchRun run = run_with_failure("header", "work", 10, cudaErrorIllegalAddress);
  CHECK(run.code == ExitCode::environment);
  CHECK(run.last().at("done") == false);
  const std::string error = run.last().at("error");
  const std::size_t culprit = error.find(", in the first run of engine ");
  CHECK(culprit != std::string::npos);
  CHECK(error.rfind(", in the ") == culprit);
  const std::string prefix = "cudnn_bench: ";
  const std::size_t last = run.log.rfind(prefix + "first run of engine ");
  REQUIRE(last != std::string::npos);
  const std::size_t named = last + prefix.size();
  CHECK(error.find(run.log.substr(named, run.log.find('\n', named) - named)) != std::string::npos);
}

}  // namespace cnnplan::test
