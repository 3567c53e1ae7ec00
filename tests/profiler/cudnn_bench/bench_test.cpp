// Which lines a benchmark writes, for which kernels, and what options leave out.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/network/network.hpp"
#include "profiler/cudnn_bench/step_kernels.hpp"
#include "tests/profiler/cudnn_bench/bench_run.hpp"

namespace cnnplan::test {
namespace {

std::vector<StepKernel> small_kernels(const cudnn::BenchOptions& options) {
  const Network network = parse_network(read_file(options.network), options.network);
  return step_kernels(network, options.batch, options.precision);
}

std::string key(const nlohmann::json& line) {
  return line.at("kind").get<std::string>() + "/" + line.at("phase").get<std::string>() +
         line.at("in").dump() + line.at("out").dump();
}

std::string key(const StepKernel& kernel) {
  return std::string(to_text(kernel.spec.kind)) + "/" + std::string(to_text(kernel.spec.phase)) +
         nlohmann::json(kernel.spec.in.extents).dump() +
         nlohmann::json(kernel.spec.out.extents).dump();
}

}  // namespace

TEST_CASE("Benchmark: begins with a header and the peaks, and ends with counts") {
  emulation::reset(small_device());
  const BenchRun run = run_bench(small_options());
  CHECK(run.code == ExitCode::ok);
  REQUIRE(run.lines.size() > 4);
  CHECK(run.lines[0].at("line") == "header");
  CHECK(run.lines[0].at("schema") == "cnnplan.cudnn-bench/1");
  CHECK(run.lines[0].at("device") == "Emulated GPU");
  CHECK(run.lines[0].at("batch") == 2);
  CHECK(run.lines[1].at("line") == "product");
  CHECK(run.lines[1].at("flops_per_s") > 0.0);
  CHECK(run.lines[2].at("line") == "copy");
  CHECK(run.lines[2].at("bytes_per_s") > 0.0);
  CHECK(run.last().at("line") == "done");
  CHECK(run.last().at("done") == true);
  CHECK(run.last().at("own") == run.of("own").size());
  CHECK(run.last().at("engines") == run.of("engine").size());
  CHECK(run.last().at("left_out").empty());
}

TEST_CASE("Benchmark: every own kernel of a step has a line with its number of occurrences") {
  emulation::reset(small_device());
  const cudnn::BenchOptions options = small_options();
  cudnn::BenchOptions own_only = options;
  own_only.engines = false;
  const BenchRun run = run_bench(own_only);
  CHECK(run.of("engine").empty());
  std::map<std::string, int> counts;
  for (const nlohmann::json& line : run.of("own")) {
    CAPTURE(line.dump());
    CHECK_FALSE(line.contains("error"));
    CHECK(line.at("median_s") > 0.0);
    CHECK(line.at("min_s") <= line.at("median_s"));
    CHECK(line.at("median_s") <= line.at("max_s"));
    CHECK(line.at("bytes_per_s").get<double>() ==
          doctest::Approx(line.at("bytes").get<double>() / line.at("median_s").get<double>()));
    counts[key(line)] += line.at("count").get<int>();
  }
  std::map<std::string, int> wanted;
  std::set<KernelKind> kinds;
  for (const StepKernel& kernel : small_kernels(options)) {
    if (kernel.spec.kind == KernelKind::convolution) continue;
    wanted[key(kernel)] += kernel.count;
    kinds.insert(kernel.spec.kind);
  }
  CHECK(counts == wanted);
  for (KernelKind kind : {KernelKind::batch_norm,
                          KernelKind::pooling,
                          KernelKind::accumulate,
                          KernelKind::softmax_cross_entropy,
                          KernelKind::sgd}) {
    CHECK(kinds.contains(kind));
  }
}

TEST_CASE("Benchmark: runs in every precision") {
  for (Precision precision : {Precision::fp32, Precision::fp64, Precision::tf32, Precision::fp16}) {
    emulation::reset(small_device());
    cudnn::BenchOptions options = small_options();
    options.precision = precision;
    options.kinds = {KernelKind::convolution, KernelKind::batch_norm};
    options.max_engines = 1;
    const BenchRun run = run_bench(options);
    CHECK(run.code == ExitCode::ok);
    CHECK(run.last().at("own_failed") == 0);
    CHECK(run.last().at("own") > 0);
  }
}

TEST_CASE("Benchmark: kinds and phases choose kernels") {
  emulation::reset(small_device());
  cudnn::BenchOptions options = small_options();
  options.kinds = {KernelKind::convolution, KernelKind::pooling};
  options.phases = {KernelPhase::backward_data};
  const BenchRun run = run_bench(options);
  std::set<std::string> found;
  for (const nlohmann::json& line : run.lines) {
    if (!line.contains("kind")) continue;
    found.insert(line.at("kind").get<std::string>() + "/" + line.at("phase").get<std::string>());
  }
  CHECK(found == std::set<std::string>{"convolution/backward_data", "pooling/backward_data"});
}

TEST_CASE("Benchmark: kernels that take most of a step come first") {
  emulation::reset(small_device());
  cudnn::BenchOptions options = small_options();
  options.engines = false;
  const BenchRun run = run_bench(options);
  double before = std::numeric_limits<double>::infinity();
  for (const nlohmann::json& line : run.of("own")) {
    const double bytes = line.at("count").get<int>() * line.at("bytes").get<double>();
    CHECK(bytes <= before);
    before = bytes;
  }
}

TEST_CASE("Benchmark: a budget that is over is told by the kernels that it left out") {
  emulation::reset(small_device());
  cudnn::BenchOptions options = small_options();
  options.budget_s = 1e-6;
  const BenchRun run = run_bench(options);
  CHECK(run.code == ExitCode::ok);
  CHECK(run.of("own").empty());
  CHECK(run.of("engine").empty());
  CHECK(run.last().at("done") == true);
  CHECK(run.last().at("left_out").size() == small_kernels(options).size());
}

TEST_CASE("Benchmark: without a device, or with one that lacks the precision, nothing is written") {
  emulation::Options device = small_device();
  device.device_count = 0;
  emulation::reset(device);
  CHECK_THROWS_WITH_AS(
      run_bench(small_options()), doctest::Contains("no CUDA device"), EnvironmentError);
  emulation::reset(small_device());
  emulation::fail("cudaGetDeviceCount", 1, cudaErrorInitializationError);
  CHECK_THROWS_WITH_AS(run_bench(small_options()),
                       doctest::Contains("cudaGetDeviceCount: initialization error"),
                       BackendError);
  device = small_device();
  device.compute_major = 7;
  emulation::reset(device);
  CHECK_THROWS_WITH_AS(run_bench(small_options()),
                       doctest::Contains("does not run bf16; it runs fp32 fp64 fp16"),
                       EnvironmentError);
}

TEST_CASE("Benchmark: what it allocated is given back") {
  emulation::reset(small_device());
  run_bench(small_options());
  CHECK(emulation::leaks().empty());
}

}  // namespace cnnplan::test
