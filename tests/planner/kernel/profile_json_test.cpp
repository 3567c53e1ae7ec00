// Tests what profile files refuse, that keys become canonical, and that profiles come back equal.
#include <cstddef>
#include <iterator>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_kinds.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("parse_profile: refusals name pointer, value and what is allowed") {
  check_refusals(
      to_json(sample_profile()),
      parse_profile,
      {
          {"cnnplan.profile/1", "cnnplan.plan/1", "/schema", "plan/1", "profile/1"},
          {"\"fingerprint\"", "\"finger\"", "/finger", "unknown key", "fingerprint"},
          {"\"busy_ranks\": 2", "\"busy_ranks\": 0", "/fingerprint/busy_ranks", "0", "from 1 to"},
          {"\"backend\": \"onednn\",", "", "/fingerprint/backend", "nothing", "a string"},
          {"\"kind\": \"convolution\"",
           "\"concurrency\": 0, \"kind\": \"convolution\"",
           "/kernels/0/kernel/concurrency",
           "0",
           "from 1 to 128"},
          {"\"kind\": \"convolution\"",
           "\"kind\": \"conv\"",
           "/kernels/0/kernel/kind",
           "\"conv\"",
           "\"convolution\", \"bias\""},
          {"\"phase\": \"backward_filter\"",
           "\"phase\": \"backward\"",
           "/kernels/0/kernel/phase",
           "\"backward\"",
           "\"backward_filter\""},
          {"\"phase\": \"backward_filter\"",
           "\"phase\": \"update\"",
           "/kernels/0/kernel/phase",
           "\"update\"",
           "a phase of convolution: forward, backward_data, backward_filter"},
          {"[2, 4, 1, 17, 16]", "[2, 4, 17, 16]", "/kernels/0/kernel/in", "a list of 4", "5"},
          {"[2, 4, 1, 17, 16]", "[2, 4, 0, 17, 16]", "/kernels/0/kernel/in/2", "0", "from 1 to"},
          {"[2, 4, 1, 17, 16]",
           "[99999999, 99999999, 99999999, 1, 1]",
           "/kernels/0/kernel/in",
           "*",
           "2^63"},
          {"\"stride\": [1, 2, 1]",
           "\"stride\": [1, 2]",
           "/kernels/0/kernel/window/stride",
           "a list of 2",
           "3"},
          {"\"stride\": [1, 2, 1]",
           "\"strides\": [1, 2, 1]",
           "/kernels/0/kernel/window/strides",
           "unknown key",
           "stride"},
          {"\"groups\": 2", "\"groups\": -2", "/kernels/0/kernel/groups", "-2", "from 1 to"},
          {"\"winograd\"", "\"fft\"", "/kernels/0/kernel/algorithm", "\"fft\"", "\"winograd\""},
          {"\"fp64\"",
           "\"fp8\"",
           "/kernels/0/kernel/precision",
           "\"fp8\"",
           "\"fp32\", \"fp64\", \"tf32\", \"bf16\", \"fp16\""},
          {"\"repetitions\": 12",
           "\"repetitions\": 0",
           "/kernels/0/timing/repetitions",
           "0",
           "from 1"},
          {"\"median_s\": 0.0015,", "", "/kernels/0/timing/median_s", "nothing", "a number from 0"},
          {"\"min_s\": 0.0014",
           "\"min_s\": 1e10",
           "/kernels/0/timing/min_s",
           "1",
           "to 1000000000.0"},
          {"\"step_overhead_s\": 7e-05",
           "\"step_overhead_s\": -1",
           "/step_overhead_s",
           "-1",
           "from 0"},
          {"\"sha256\": \"", "\"sha256\": \"x", "/inputs/0/sha256", "\"x", "64 digits"},
          {"\"min_s\": 0.0014", "\"min_s\": -1e-9", "/kernels/0/timing/min_s", "-1e-09", "from 0"},
          {"\"workspace_bytes\": 4096",
           "\"workspace_bytes\": 1e19",
           "/kernels/0/timing/workspace_bytes",
           "1e+19",
           "from 0 to 1152921504606846976"},
      });
}

TEST_CASE("parse_profile: keys become canonical, and each stands once") {
  KernelSpec spec;
  spec.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 0};
  Profile profile;
  profile.kernels[spec] = {.repetitions = 1};
  const Profile read = parse_profile(to_json(profile), "p.json");
  CHECK(read.kernels.begin()->first == canonical(spec));
  CHECK(read.kernels.begin()->first != spec);
  profile.kernels[canonical(spec)] = {.repetitions = 1};
  const InputProblem problem = problem_of([&] { parse_profile(to_json(profile), "p.json"); });
  CHECK(problem.pointer == "/kernels/1/kernel");
  CHECK(contains(problem.value, to_text(canonical(spec))));
}

TEST_CASE("to_json: profiles come back equal") {
  CHECK(parse_profile(to_json(sample_profile()), "p.json") == sample_profile());
  CHECK(parse_profile(to_json(Profile{}), "p.json") == Profile{});
}

KernelSpec random_kernel(RandomValues& random) {
  KernelSpec spec;
  spec.kind = random.enumerator<KernelKind>();
  const std::span<const PhaseRow> phases = row_of(spec.kind).phases;
  spec.phase = phases[static_cast<std::size_t>(random.integer(0, std::ssize(phases) - 1))].phase;
  for (std::int64_t& extent : spec.in.extents) extent = random.integer(1, 1000);
  for (std::int64_t& extent : spec.out.extents) extent = random.integer(1, 1000);
  for (WindowDim& dim : spec.window.dims) {
    dim = {random.integer(1, 5),
           random.integer(1, 3),
           random.integer(0, 3),
           random.integer(0, 3),
           random.integer(1, 2)};
  }
  spec.groups = random.integer(1, 64);
  spec.pooling = random.enumerator<PoolingMode>();
  spec.count_include_padding = random.boolean();
  spec.bias = random.boolean();
  spec.relu = random.boolean();
  spec.residual = random.boolean();
  spec.precision = random.enumerator<Precision>();
  spec.algorithm = random.enumerator<KernelAlgorithm>();
  spec.concurrency = random.small(1, max_concurrency);
  return canonical(spec);
}

TEST_CASE("to_json: random profiles come back equal") {
  RandomValues random(3);
  Profile profile{.fingerprint = {random.text(), random.text(), random.text(), 3}, .kernels = {}};
  for (int trial = 0; trial < 500; ++trial) {
    profile.kernels[random_kernel(random)] = {.repetitions = random.small(1, 99),
                                              .median_s = random.seconds(),
                                              .mean_s = random.seconds(),
                                              .stddev_s = random.seconds(),
                                              .min_s = random.seconds(),
                                              .rank_spread_s = random.seconds(),
                                              .workspace_bytes = random.integer(bytes_range),
                                              .implementation = random.text()};
  }
  CHECK(parse_profile(to_json(profile), "p.json") == profile);
}

}  // namespace
}  // namespace cnnplan::test
