// Tests that profiles of tiny networks are complete and resumable on any number of ranks.
#include "profiler/kernel_profile.hpp"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "tests/planner/search/candidates/covering_plans.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan {
namespace {

// Makes a network of height 5. With batches that are not divisible, its blocks are uneven.
Network tiny_network() {
  Convolution convolution{.filters = 3};
  const WindowDim same{.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims = {WindowDim{}, same, same};
  return Network("tiny",
                 {{"data", {}, Input{.channels = 2, .size = {1, 5, 6}}},
                  {"conv1", {"data"}, convolution},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"relu1", {"bn1"}, Relu{}},
                  {"conv2", {"relu1"}, convolution},
                  {"add", {"conv2", "relu1"}, Add{}},
                  {"pool", {"add"}, GlobalPooling{.mode = PoolingMode::max}},
                  {"fc", {"pool"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

struct Case {
  std::string name;
  int ranks;
  std::int64_t batch;
  std::vector<Mesh> uniform;
};

// Lists cases with as many ranks as the program, with fewer and with more. Some blocks are thin or
// empty. Slow builds take two cases.
std::vector<Case> cases() {
  std::vector<Case> all{{"empty blocks", 3, 1, {parse_mesh("n3")}},
                        {"more ranks than the program", 4, 2, {parse_mesh("n2h2")}}};
  if (test::is_slow_build) return all;
  all.push_back({"one rank", 1, 2, {}});
  all.push_back({"uneven", 2, 3, {}});
  all.push_back({"thin blocks", 3, 1, {}});
  return all;
}

ProfileRequest request_of(const Case& each) {
  return {.networks = {tiny_network()},
          .ranks = each.ranks,
          .batch = each.batch,
          .uniform = each.uniform,
          .walk = {.repetitions = 2, .warmup = 1}};
}

std::vector<Plan> plans_of(const Case& each) {
  const Plan blank = uniform_plan(tiny_network(), each.batch, Mesh({{Axis::r, each.ranks}}));
  std::vector<Plan> plans = test::covering_plans(blank);
  for (const Mesh& mesh : each.uniform) {
    plans.push_back(mostly_on(blank, mesh));
  }
  return plans;
}

std::set<KernelSpec> needed_kernels(const Case& each) {
  std::set<KernelSpec> kernels;
  for (const Plan& plan : plans_of(each)) {
    for (int rank = 0; rank < plan.ranks; ++rank) kernels.merge(kernels_of(lower(plan, rank)));
  }
  return kernels;
}

std::set<KernelSpec> kernels_in(const Profile& profile) {
  std::set<KernelSpec> kernels;
  for (const auto& [spec, timing] : profile.kernels) kernels.insert(spec);
  return kernels;
}

// Keeps what a run of the profiler reported.
struct Log {
  std::vector<ProfileProgress> progress;
  int saves = 0;
};

struct Interrupted {};

Log profile(const ProfileRequest& request, Profile& into, int saves_until_interrupted) {
  Log log;
  const auto backend = make_backend("reference");
  const ProfileCallbacks callbacks{
      .progress = [&](const ProfileProgress& progress) { log.progress.push_back(progress); },
      .save =
          [&](const Profile&) {
            if (++log.saves == saves_until_interrupted) throw Interrupted();
          }};
  profile_kernels(request, *backend, Communicator::world(), into, callbacks);
  return log;
}

constexpr int never = -1;

bool same_everywhere(const Profile& profile) {
  const Communicator world = Communicator::world();
  return world.broadcast(to_json(profile), 0) == to_json(profile);
}

}  // namespace

TEST_CASE("profile_kernels: holds exactly the kernels of all covering plans, on every rank alike") {
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    Profile filled;
    profile(request_of(each), filled, never);
    CHECK(kernels_in(filled) == needed_kernels(each));
    CHECK(same_everywhere(filled));
    for (const auto& entry : filled.kernels) {
      const KernelTiming& timing = entry.second;
      CAPTURE(to_text(entry.first));
      CHECK(timing.repetitions >= 2);
      CHECK(timing.median_s > 0);
      CHECK(timing.min_s <= timing.median_s);
      CHECK_FALSE(timing.implementation.empty());
    }
  }
}

TEST_CASE("profile_kernels: with few axes, has the kernels of solve --uniform over another one") {
  const Case each{"height of a plan by samples", 2, 2, {parse_mesh("h2")}};
  ProfileRequest request = request_of(each);
  request.axes = {Axis::n};
  Profile filled;
  profile(request, filled, never);
  const Plan blank = uniform_plan(tiny_network(), each.batch, parse_mesh("r2"));
  const Plan plan = mostly_on(blank, parse_mesh("h2"));
  const std::set<KernelSpec> known = kernels_in(filled);
  for (int rank = 0; rank < plan.ranks; ++rank) {
    for (const KernelSpec& spec : kernels_of(lower(plan, rank))) {
      CHECK_MESSAGE(known.contains(spec), to_text(spec));
    }
  }
}

TEST_CASE("profile_kernels: tells how far apart ranks are where several run a kernel at once") {
  const int ranks = Communicator::world().size();
  ProfileRequest request = request_of({"as many ranks", ranks, 2 * std::int64_t{ranks}, {}});
  request.uniform = {Mesh({{Axis::n, ranks}})};
  Profile filled;
  profile(request, filled, never);
  const auto apart = std::count_if(filled.kernels.begin(), filled.kernels.end(), [](const auto& k) {
    return k.second.rank_spread_s > 0.0;
  });
  CHECK((apart > 0) == (ranks > 1));
  CHECK(same_everywhere(filled));
}

TEST_CASE("profile_kernels: times the precision that was asked for beside what it has") {
  ProfileRequest request = request_of({"one rank", 1, 2, {}});
  Profile filled;
  profile(request, filled, never);
  const std::size_t single = filled.kernels.size();
  request.precision = Precision::bf16;
  profile(request, filled, never);
  CHECK(filled.kernels.size() == 2 * single);
  const auto half = std::count_if(filled.kernels.begin(), filled.kernels.end(), [](const auto& k) {
    return k.first.precision == Precision::bf16;
  });
  CHECK(half == static_cast<std::ptrdiff_t>(single));
}

TEST_CASE("profile_kernels: of a plan, just what it needs and the profile lacks") {
  const int ranks = Communicator::world().size() + 1;
  Plan plan = uniform_plan(tiny_network(), 4, Mesh({{Axis::c, ranks}}));
  plan.layers.front().mesh = plan.layers.back().mesh = Mesh({{Axis::r, ranks}});
  const ProfileRequest request{
      .networks = {}, .uniform = {}, .plans = {plan}, .walk = {.repetitions = 2, .warmup = 1}};
  std::set<KernelSpec> needed;
  for (int rank = 0; rank < ranks; ++rank) needed.merge(kernels_of(lower(plan, rank)));
  Profile filled;
  profile(request, filled, never);
  CHECK(kernels_in(filled) == needed);
  CHECK(profile(request, filled, never).progress.empty());
}

TEST_CASE("profile_kernels: goes on where it was interrupted and keeps what it has, bit for bit") {
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    const ProfileRequest request = request_of(each);
    Profile whole_at_once;
    const int rounds = profile(request, whole_at_once, never).saves;
    Profile resumed;
    CHECK_THROWS_AS(profile(request, resumed, 1), Interrupted);
    const Profile first_round = resumed;
    CHECK_FALSE(first_round.kernels.empty());
    CHECK(profile(request, resumed, never).saves == rounds - 1);
    for (const auto& [spec, timing] : first_round.kernels)
      CHECK(resumed.kernels.at(spec) == timing);
    CHECK(kernels_in(resumed) == kernels_in(whole_at_once));
  }
}

TEST_CASE("profile_kernels: a second run times nothing, even from the file of the first") {
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    Profile filled{.fingerprint = {"a CPU", "reference", "none", 1}, .kernels = {}};
    profile(request_of(each), filled, never);
    Profile again = parse_profile(to_json(filled), "profile.json");
    const Log log = profile(request_of(each), again, never);
    CHECK(log.progress.empty());
    CHECK(log.saves == 0);
    CHECK(to_json(again) == to_json(filled));
  }
}

TEST_CASE("profile_kernels: progress counts every pass and names the ranks that walk") {
  const int ranks = Communicator::world().size();
  const ProfileRequest request = request_of({"", 2, 2, {}});
  Profile filled;
  const Log log = profile(request, filled, never);
  REQUIRE_FALSE(log.progress.empty());
  for (std::size_t i = 0; i < log.progress.size(); ++i) {
    CHECK(log.progress[i].passes == static_cast<int>(i) + 1);
  }
  CHECK(log.progress.back().passes == log.progress.back().total_passes);
  CHECK(log.progress.front().what ==
        (ranks == 1 ? "tiny on n2, rank 0 of 2" : "tiny on n2, ranks 0 to 1 of 2"));
}

TEST_CASE("profile_kernels: what the memory cannot hold is refused on all ranks before it starts") {
  ProfileRequest request = request_of({"", 1, 1, {}});
  request.batch = std::int64_t{1} << 42;
  Profile filled;
  bool refused = false;
  try {
    profile(request, filled, never);
  } catch (const InfeasibleError& error) {
    refused = error.needed() > error.available() && error.available() > 0;
  }
  CHECK(refused);
  CHECK(filled.kernels.empty());
}

}  // namespace cnnplan
