// Checks the lines of engine configurations.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/cudnn/cudnn_engines.hpp"
#include "tests/profiler/cudnn_bench/bench_run.hpp"

namespace cnnplan::test {
namespace {

cudnn::BenchOptions engines_only() {
  cudnn::BenchOptions options = small_options();
  options.own_kernels = false;
  return options;
}

// The lists are by convolution, phase and variant.
std::map<std::string, std::vector<nlohmann::json>> by_variant(const BenchRun& run) {
  std::map<std::string, std::vector<nlohmann::json>> lists;
  for (const nlohmann::json& line : run.of("engine")) {
    lists[line.at("phase").dump() + line.at("in").dump() + line.at("out").dump() +
          line.at("variant").dump()]
        .push_back(line);
  }
  return lists;
}

bool has_index(const std::vector<nlohmann::json>& lines, std::int64_t index) {
  return std::any_of(lines.begin(), lines.end(), [index](const nlohmann::json& line) {
    return line.at("engine_index") == index;
  });
}

}  // namespace

TEST_CASE("Engine lines: every configuration of every variant has a line, also the broken one") {
  emulation::reset(small_device());
  const BenchRun run = run_bench(engines_only());
  CHECK(run.of("own").empty());
  const auto lists = by_variant(run);
  CHECK(lists.size() >= 9);  // three convolutions, most with three phases, and fused variants
  for (const auto& [name, lines] : lists) {
    const std::string& variant = name;
    CAPTURE(variant);
    const bool is_fused = variant.find("fused") != std::string::npos;
    CHECK(has_index(lines, emulation::broken));
    CHECK(has_index(lines, emulation::exact));
    CHECK(has_index(lines, emulation::tensor_core) == !is_fused);
    CHECK(has_index(lines, emulation::nondeterministic) == !is_fused);
    std::vector<int> ranks;
    for (const nlohmann::json& line : lines) ranks.push_back(line.at("rank").get<int>());
    std::sort(ranks.begin(), ranks.end());
    for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(ranks[i] == static_cast<int>(i) + 1);
  }
}

TEST_CASE("Engine lines: an engine that runs has times and rates, the broken one has an error") {
  emulation::reset(small_device());
  const BenchRun run = run_bench(engines_only());
  int failed = 0;
  for (const nlohmann::json& line : run.of("engine")) {
    CAPTURE(line.dump());
    const bool is_broken = line.at("engine_index") == emulation::broken;
    CHECK(line.contains("error") == is_broken);
    CHECK(line.contains("median_s") == !is_broken);
    failed += is_broken ? 1 : 0;
    if (is_broken) continue;
    CHECK(line.at("median_s") > 0.0);
    CHECK(line.at("plan_s") >= 0.0);
    CHECK(line.at("flops_per_s").get<double>() ==
          doctest::Approx(line.at("flops").get<double>() / line.at("median_s").get<double>()));
    CHECK((line.at("workspace_bytes") > 0 || line.at("engine_index") != emulation::tensor_core));
  }
  CHECK(failed > 0);
  CHECK(run.last().at("engines_failed") == failed);
}

TEST_CASE("Engine lines: engines that are compiled at run time are marked and come last") {
  emulation::reset(small_device());
  const BenchRun run = run_bench(engines_only());
  bool compiled = false;
  for (const nlohmann::json& line : run.of("engine")) {
    const bool is_fused = line.at("variant").get<std::string>().starts_with("fused");
    CHECK(line.at("runtime_compiled") == is_fused);
    CHECK((is_fused || !compiled));
    compiled = compiled || is_fused;
  }
  CHECK(compiled);
}

TEST_CASE("Engine lines: only before a batch norm, engines are timed that sum the outputs, too") {
  for (const bool statistics : {false, true}) {
    emulation::reset(small_device());
    cudnn::BenchOptions options = engines_only();
    options.statistics = statistics;
    const BenchRun run = run_bench(options);
    CHECK(run.lines[0].at("statistics") == statistics);
    int timed = 0;
    for (const nlohmann::json& line : run.of("engine")) {
      CAPTURE(line.dump());
      const bool is_conv2 = line.at("phase") == "forward" && line.at("in") == line.at("out");
      CHECK(line.at("before_batch_norm") == (is_conv2 ? 1 : 0));
      if (line.at("variant") != "statistics") continue;
      CHECK(is_conv2);
      CHECK(line.at("runtime_compiled") == true);
      timed += line.contains("median_s") ? 1 : 0;
    }
    CHECK(timed == (statistics ? 1 : 0));
  }
}

TEST_CASE("Engine lines: every engine is named on the log before it runs") {
  emulation::reset(small_device());
  std::vector<nlohmann::json> lines;
  const BenchRun run = run_bench(engines_only());
  std::size_t place = 0;
  for (const nlohmann::json& line : run.of("engine")) {
    const std::string name = line.at("engine");
    const std::size_t found = run.log.find("cudnn_bench: first run of " + name + " for ", place);
    REQUIRE(found != std::string::npos);
    place = found + 1;
  }
}

TEST_CASE("Engine lines: a limit keeps the first of every variant") {
  emulation::reset(small_device());
  cudnn::BenchOptions options = engines_only();
  options.max_engines = 2;
  for (const auto& [name, lines] : by_variant(run_bench(options))) {
    const std::string& variant = name;
    CAPTURE(variant);
    CHECK(lines.size() == 2);
  }
}

TEST_CASE("Engine lines: an engine that is skipped does not run, whatever its knobs") {
  emulation::reset(small_device());
  cudnn::BenchOptions options = engines_only();
  options.skipped_engines = {"engine 1", "engine 2"};
  const BenchRun run = run_bench(options);
  int skipped = 0;
  for (const nlohmann::json& line : run.of("engine")) {
    const bool is_named = line.at("engine_index") == 1 || line.at("engine_index") == 2;
    const bool is_skipped = line.value("error", "") == "left out by --skip-engine";
    CHECK(is_skipped == is_named);
    skipped += is_skipped ? 1 : 0;
  }
  CHECK(skipped > 0);
  CHECK(run.log.find("engine 1") == std::string::npos);
  CHECK(run.log.find("engine 2") == std::string::npos);
}

}  // namespace cnnplan::test
