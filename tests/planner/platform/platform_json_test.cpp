// Tests platform files: defaults, refusals, round trips.
#include <string>

#include <doctest/doctest.h>

#include "planner/platform/platform.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("parse_platform: what is left out has the defaults of the struct, a gap the latency") {
  const Platform platform = parse_platform(R"({"schema": "cnnplan.platform/1", "levels": [
    {"name": "node", "ranks_per_group": 2, "segments": [
      {"max_bytes": 64, "alpha_s": 1e-6, "beta_s_per_byte": 0}]}]})",
                                           "p.json");
  Platform expected;
  expected.levels = {{.name = "node",
                      .ranks_per_group = 2,
                      .segments = {{.max_bytes = 64, .alpha_s = 1e-6}},
                      .gap_s = 1e-6}};
  CHECK(platform == expected);
}

TEST_CASE("parse_platform: refusals name pointer, value and what is allowed") {
  check_refusals(
      to_json(sample_platform()),
      parse_platform,
      {
          {"cnnplan.platform/1", "cnnplan.platform/2", "/schema", "platform/2", "platform/1"},
          {"\"memory_bytes\"", "\"memory\"", "/memory", "unknown key", "memory_bytes"},
          {"\"memory_bytes\": 1", "\"memory_bytes\": -1", "/memory_bytes", "-1", "from 0 to"},
          {"\"process_bytes\": 5", "\"process_bytes\": -5", "/process_bytes", "-5", "from 0 to"},
          {"\"levels\"", "\"level\"", "/level", "unknown key", "levels"},
          {"\"measured\": true", "\"measured\": 1", "/measured", "1", "true or false"},
          {"0.0625", "1.0625", "/overlap_efficiency", "1.0625", "a number from 0.0 to 1.0"},
          {"0.0625", "\"half\"", "/overlap_efficiency", "\"half\"", "a number from 0.0 to 1.0"},
          {"\"launch_s\": 2e-07", "\"launch_s\": -1", "/launch_s", "-1", "a number from 0.0"},
          {"\"launch_s\": 2e-07", "\"launch_s\": null", "/launch_s", "null", "a number from 0.0"},
          {"\"launch_s\": 2e-07", "\"launch_s\": 2e999", "/launch_s", "2e999", "double"},
          {"\"launch_s\": 2e-07", "\"launch_s\": 1e10", "/launch_s", "1", "to 1000000000.0"},
          {"\"gamma_s_per_byte\": 1e-10",
           "\"gamma_s_per_byte\": 1.5",
           "/gamma_s_per_byte",
           "1.5",
           "to 1.0"},
          {"\"beta_s_per_byte\": 3.448275862068966e-11",
           "\"beta_s_per_byte\": 2",
           "/levels/0/segments/0/beta_s_per_byte",
           "2",
           "to 1.0"},
          {"\"sha256\": \"", "\"sha256\": \"x", "/inputs/0/sha256", "\"x", "64 digits"},
          {"\"duplex_factor\": 1.5",
           "\"duplex_factor\": 0",
           "/levels/0/duplex_factor",
           "0",
           "above"},
          {"\"shared_by\": 1",
           "\"duplex_factor\": 1.25, \"shared_by\": 1",
           "/levels/1/duplex_factor",
           "1.25",
           "exchange_segments"},
          {"\"ranks_per_group\": 4",
           "\"ranks_per_group\": 0",
           "/levels/0/ranks_per_group",
           "0",
           "an integer from 1 to 1048576"},
          {"\"ranks_per_group\": 8",
           "\"ranks_per_group\": 6",
           "/levels/1/ranks_per_group",
           "6",
           "a multiple of the level before, 4"},
          {"\"max_bytes\": 4096",
           "\"max_bytes\": 0",
           "/levels/0/segments/0/max_bytes",
           "0",
           "an integer from 1 to"},
          {"\"max_bytes\": 67108864",
           "\"max_bytes\": 4096",
           "/levels/0/segments/1/max_bytes",
           "4096",
           "above the segment before, 4096"},
          {"\"algorithm\": \"library\"",
           "\"algorithm\": \"nccl\"",
           "/allreduce/0/algorithm",
           "\"nccl\"",
           "\"hierarchical\", \"library\""},
          {"\"library\",\n      \"collective\": \"allreduce\"",
           "\"rabenseifner\", \"collective\": \"allgather\"",
           "/allreduce/0/collective",
           "allgather",
           "allreduce, for an algorithm without halves"},
          {"\"ranks\": 2", "\"ranks\": 1", "/allreduce/0/ranks", "1", "from 2 to 1048576"},
          {"fitted by hand", "", "/kernels/source", "\"\"", "a string, not empty"},
          {"\"bytes_per_s\": 8", "\"bytes_per_s\": -8", "/kernels/bytes_per_s", "-8", "above 0.0"},
          {"\"fp32\"", "\"fp64\"", "/kernels/precisions/fp32", "nothing", "an object with keys"},
          {"\"fp16\"", "\"fp8\"", "/kernels/precisions/fp8", "unknown key", "fp32, fp64, tf32"},
          {"0.6875",
           "1.5",
           "/kernels/precisions/fp32/low_factor",
           "1.5",
           "a number above 0.0 to 1.0"},
          {"1.4375", "0.5", "/kernels/precisions/fp32/high_factor", "0.5", "a number from 1.0 to"},
          {"\"three_by_three\": 1.75",
           "\"three_by_three\": 0",
           "/kernels/precisions/fp32/forward/efficiency/three_by_three",
           "0",
           "a number above 0.0 to 1000.0"},
          {"\"channels_half\": 0.375",
           "\"channels_half\": -1",
           "/kernels/precisions/fp32/forward/channels_half",
           "-1",
           "a number from 0.0"},
          {"\"backward_filter\"",
           "\"backward_weights\"",
           "/kernels/precisions/fp32/backward_weights",
           "unknown key",
           "backward_filter"},
      });
}

TEST_CASE("parse_platform: levels and segments are not empty") {
  Platform platform = sample_platform();
  platform.levels[1].segments.clear();
  CHECK(problem_of([&] { parse_platform(to_json(platform), "p.json"); }).pointer ==
        "/levels/1/segments");
  platform.levels.clear();
  CHECK(problem_of([&] { parse_platform(to_json(platform), "p.json"); }).pointer == "/levels");
}

TEST_CASE("parse_platform: a measured allreduce without places has packed ranks, alone") {
  Platform platform = sample_platform();
  platform.allreduce = {{.ranks = 8, .segments = {{1, 0.0, 0.0}}}};
  std::string json = to_json(platform);
  const std::string groups = "\"groups_at_once\": 1,";
  REQUIRE(json.find(groups) != std::string::npos);
  CHECK(json.find("ranks_per_node") == std::string::npos);
  json.erase(json.find(groups), groups.size());
  CHECK(parse_platform(json, "old.json").allreduce == platform.allreduce);
}

TEST_CASE("parse_platform: measured ranks have room on their nodes") {
  struct Case {
    int ranks;
    int ranks_per_node;
    int groups_at_once;
    const char* key;
  };
  // Nodes have 4 ranks.
  for (const Case& wrong : {Case{8, 5, 1, "ranks_per_node"},
                            Case{2, 3, 1, "ranks_per_node"},
                            Case{8, 2, 3, "groups_at_once"},
                            Case{8, 0, 2, "groups_at_once"},
                            Case{2, 0, 3, "groups_at_once"},
                            Case{2, 0, 0, "groups_at_once"}}) {
    CAPTURE(wrong.ranks_per_node);
    CAPTURE(wrong.groups_at_once);
    Platform platform = sample_platform();
    platform.allreduce = {{.ranks = wrong.ranks,
                           .segments = {{1, 0.0, 0.0}},
                           .ranks_per_node = wrong.ranks_per_node,
                           .groups_at_once = wrong.groups_at_once}};
    CHECK(problem_of([&] { parse_platform(to_json(platform), "p.json"); }).pointer ==
          std::string("/allreduce/0/") + wrong.key);
  }
}

TEST_CASE("to_json: platforms come back equal") {
  for (const Platform& platform : {sample_platform(), default_platform(1), default_platform(48)}) {
    CHECK(parse_platform(to_json(platform), "p.json") == platform);
  }
}

std::vector<Segment> random_segments(RandomValues& random) {
  std::vector<Segment> segments;
  std::int64_t bytes = 0;
  for (std::int64_t i = random.integer(1, 4); i > 0; --i) {
    bytes += random.integer(1, 1 << 30);
    segments.push_back({bytes, random.seconds(), random.seconds() * 1e-9});
  }
  return segments;
}

ConvolutionRates random_convolution_rates(RandomValues& random) {
  const auto above_zero = [&random] { return 0.25 + random.fraction(); };
  return {.overhead_s = random.seconds(),
          .efficiency = {.pointwise = above_zero(),
                         .three_by_three = above_zero(),
                         .strided = above_zero(),
                         .other = above_zero(),
                         .three_dimensional = above_zero()},
          .outputs_half = random.fraction(),
          .channels_half = random.fraction(),
          .filters_half = random.fraction()};
}

KernelRates random_kernel_rates(RandomValues& random) {
  KernelRates rates{.source = random.text() + '.',
                    .bytes_per_s = 1 + random.fraction(),
                    .overhead_s = random.seconds()};
  for (const Precision precision : Enumerators<Precision>::all) {
    if (precision != Precision::fp32 && random.boolean()) continue;
    rates.precisions.push_back({.precision = precision,
                                .flops_per_s = 1 + random.fraction(),
                                .low_factor = (1 + random.fraction()) / 2,
                                .high_factor = 1 + random.fraction(),
                                .forward = random_convolution_rates(random),
                                .backward_data = random_convolution_rates(random),
                                .backward_filter = random_convolution_rates(random)});
  }
  return rates;
}

TEST_CASE("parse_platform: rates without three-dimensional windows take those of other windows") {
  std::string text = to_json(sample_platform());
  const std::string key = "\"three_dimensional\"";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key)) {
    const std::size_t begin = text.rfind(',', at);
    text.erase(begin, text.find_first_of(",}", at) - begin);
  }
  Platform expected = sample_platform();
  for (PrecisionRates& rates : expected.kernels->precisions) {
    for (ConvolutionRates* phase : {&rates.forward, &rates.backward_data, &rates.backward_filter}) {
      phase->efficiency.three_dimensional = phase->efficiency.other;
    }
  }
  CHECK(parse_platform(text, "p.json") == expected);
}

TEST_CASE("to_json: random platforms come back equal") {
  RandomValues random(2);
  for (int trial = 0; trial < 200; ++trial) {
    Platform platform{.name = random.text(),
                      .device = random.text(),
                      .memory_bytes = random.integer(bytes_range),
                      .process_bytes = random.integer(bytes_range),
                      .gamma_s_per_byte = random.fraction(),
                      .copy_s_per_byte = random.fraction(),
                      .overlap_efficiency = random.fraction(),
                      .launch_s = random.seconds(),
                      .measured = random.boolean()};
    int ranks = 1;
    for (std::int64_t i = random.integer(1, 3); i > 0; --i) {
      ranks *= random.small(1, 8);
      platform.levels.push_back({.name = random.text(),
                                 .ranks_per_group = ranks,
                                 .segments = random_segments(random),
                                 .duplex_factor = 0.5 + random.fraction(),
                                 .shared_by = random.small(1, 9)});
      Level& level = platform.levels.back();
      for (const auto& [name, segments] : optional_segment_fields) {
        if (random.boolean()) level.*segments = random_segments(random);
      }
      if (!level.exchange_segments.empty()) level.duplex_factor = 1.0;
      if (random.boolean()) platform.kernels = random_kernel_rates(random);
      platform.allreduce.push_back({random.small(2, 1048576),
                                    random_segments(random),
                                    random.enumerator<AllreduceAlgorithm>(),
                                    random.enumerator<CollectiveKind>()});
      AllreduceFit& fit = platform.allreduce.back();
      if (!has_halves(fit.algorithm)) fit.kind = CollectiveKind::allreduce;
      const int node = platform.levels.front().ranks_per_group;
      fit.ranks_per_node = random.small(0, std::min(fit.ranks, node));
      const int members = fit.ranks_per_node > 0 ? fit.ranks_per_node : std::min(fit.ranks, node);
      fit.groups_at_once = random.small(1, node / members);
    }
    CHECK(parse_platform(to_json(platform), "p.json") == platform);
  }
}

}  // namespace
}  // namespace cnnplan::test
