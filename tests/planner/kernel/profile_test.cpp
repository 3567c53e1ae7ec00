// Tests how profiles are merged.
#include "planner/kernel/profile.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

KernelSpec kernel_with(std::int64_t groups) {
  KernelSpec spec;
  spec.groups = groups;
  return spec;
}

TEST_CASE("merge: adds what is missing and keeps what is there") {
  Profile profile = sample_profile();
  profile.kernels = {{kernel_with(1), {.median_s = 1.0}}};
  Profile other = profile;
  other.kernels = {{kernel_with(1), {.median_s = 2.0}}, {kernel_with(2), {.median_s = 3.0}}};
  merge(profile, other, "other.json");
  REQUIRE(profile.kernels.size() == 2);
  CHECK(profile.kernels.at(kernel_with(1)).median_s == 1.0);
  CHECK(profile.kernels.at(kernel_with(2)).median_s == 3.0);
}

TEST_CASE("merge: the overhead of a step is added where it is missing, and else stays") {
  Profile profile = sample_profile();
  profile.step_overhead_s = 0.0;
  Profile other = sample_profile();
  other.step_overhead_s = 2e-5;
  merge(profile, other, "other.json");
  CHECK(profile.step_overhead_s == 2e-5);
  other.step_overhead_s = 3e-5;
  merge(profile, other, "other.json");
  CHECK(profile.step_overhead_s == 2e-5);
}

TEST_CASE("merge: every input is named once") {
  Profile profile = sample_profile();
  Profile other = sample_profile();
  other.inputs.push_back({.file = "vgg16.json", .sha256 = "0"});
  const auto expected = other.inputs;
  merge(profile, other, "other.json");
  CHECK(profile.inputs == expected);
}

TEST_CASE("merge: different devices never merge") {
  Profile profile = sample_profile();
  Profile other = sample_profile();
  other.fingerprint.busy_ranks = 1;
  other.kernels = {{kernel_with(7), {}}};
  const InputProblem problem = problem_of([&] { merge(profile, other, "other.json"); });
  CHECK(problem.file == "other.json");
  CHECK(problem.pointer == "/fingerprint");
  CHECK(contains(problem.value, "1 busy rank"));
  CHECK(contains(problem.allowed, "2 busy ranks"));
  CHECK(profile == sample_profile());
}

TEST_CASE("to_text: a fingerprint shows all its fields") {
  CHECK(to_text(sample_profile().fingerprint) ==
        "CPU, 1 thread; onednn (oneDNN 2.6.3); 2 busy ranks");
}

}  // namespace
}  // namespace cnnplan::test
