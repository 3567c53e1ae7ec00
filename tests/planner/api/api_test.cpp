// Tests that the public header gives the plans, predictions and errors of the planner.
#include <algorithm>
#include <numeric>
#include <string>

#include <doctest/doctest.h>

#include "planner/api/cnnplan.hpp"
#include "planner/base/file.hpp"
#include "planner/base/input_file.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/platform/resized_platform.hpp"
#include "planner/search/rivals.hpp"
#include "planner/search/solve.hpp"
#include "planner/summary/summary.hpp"
#include "tests/planner/base/folder.hpp"
#include "tests/planner/json/samples.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

const std::string lenet = "configs/networks/lenet.json";
const std::string dgx = "configs/platforms/dgx-h100.json";

api::Plan solved(const api::Request& request) {
  return api::solve(
      api::read_network(lenet), api::default_platform(request.ranks), api::no_profile(), request);
}

// Returns the error that the function throws. Fails the test if it throws none.
template <typename Function>
api::Error error_of(const Function& function) {
  try {
    function();
  } catch (const api::Error& error) {
    return error;
  }
  FAIL_CHECK("no Error was thrown");
  return {api::ErrorKind::other, ""};
}

}  // namespace

TEST_CASE("api: solve makes the plan that the search makes, and records the files") {
  const api::Plan plan = api::solve(
      api::read_network(lenet),
      api::resized(api::read_platform(dgx), 2, 2),
      api::no_profile(),
      {.ranks = 4, .batch = 16, .precision = api::Precision::bf16, .axes = "nhw", .overlap = true});
  const SolveRequest request{.network = read_network(lenet),
                             .ranks = 4,
                             .batch = 16,
                             .precision = Precision::bf16,
                             .platform = resized(read_platform(dgx), 2, 2),
                             .profile = {},
                             .axes = {Axis::n, Axis::h, Axis::w},
                             .overlap = true};
  Plan expected = with_rivals(solution_of(request), request);
  Plan made = parse_plan(api::to_json(plan), "plan.json");
  REQUIRE(made.inputs.size() == 2);
  CHECK(made.inputs[0].file == "lenet.json");
  CHECK(made.inputs[1] == input_file("dgx-h100-2x2.json", to_json(request.platform)));
  expected.inputs = made.inputs;
  CHECK(api::to_json(plan) == to_json(expected));
}

TEST_CASE("api: uniform and sharded_update reach the plan") {
  const api::Plan plan =
      solved({.ranks = 4, .batch = 8, .uniform = "n2h2", .sharded_update = true});
  const Plan made = parse_plan(api::to_json(plan), "plan.json");
  CHECK(made.sharded_update);
  CHECK(to_text(made.layers.front().mesh) == "n2h2");
}

TEST_CASE("api: predict gives the stored prediction on the same machine, and another elsewhere") {
  const api::Plan plan = solved({.ranks = 2, .batch = 8});
  const api::Prediction stored = api::prediction_of(plan);
  const api::Prediction again = api::predict(plan, api::default_platform(2), api::no_profile());
  CHECK(again.step_s == relative(stored.step_s));
  CHECK(again.memory_bytes == stored.memory_bytes);
  REQUIRE(again.operations.size() == stored.operations.size());
  const double critical_s =
      std::accumulate(stored.operations.begin(),
                      stored.operations.end(),
                      0.0,
                      [](double sum, const api::Operation& one) { return sum + one.critical_s; });
  CHECK(critical_s == relative(stored.step_s, 1e-6));
  CHECK(std::none_of(stored.operations.begin(), stored.operations.end(), [](const auto& one) {
    return one.part.empty() || one.id.empty();
  }));
  const api::Prediction elsewhere =
      api::predict(plan, api::resized(api::read_platform(dgx), 1, 2), api::no_profile());
  CHECK(elsewhere.step_s < stored.step_s);
}

TEST_CASE("api: explain has the values of the summary and of every layer") {
  const api::Plan plan = solved({.ranks = 2, .batch = 8});
  const api::Explanation found = api::explain(plan);
  const Plan made = parse_plan(api::to_json(plan), "plan.json");
  const Summary summary = summary_of(made);
  CHECK(found.network == "lenet");
  CHECK(found.samples_per_s == relative(summary.samples_per_s));
  REQUIRE(found.times_data_parallel.has_value());
  CHECK(*found.times_data_parallel == relative(summary.ratio->ratio));
  CHECK(found.rivals.size() == made.prediction.rivals.size());
  CHECK(!found.why.empty());
  CHECK(found.summary.find(" 2 ranks") != std::string::npos);
  REQUIRE(found.sure.has_value());
  CHECK(found.sure->wins <= found.sure->draws);
  CHECK(found.sure->rival < found.rivals.size());
  REQUIRE(found.layers.size() == made.network.layers().size());
  double critical_s = 0.0;
  for (const api::LayerTimes& layer : found.layers) critical_s += layer.critical_s;
  for (const api::LayerTimes& group : found.groups) critical_s += group.critical_s;
  CHECK(critical_s == relative(made.prediction.step_s, 1e-6));
  CHECK(found.layers.front().name == made.network.layer(LayerIndex(0)).name);
}

TEST_CASE("api: a written plan is read as the same plan") {
  const api::Plan plan = solved({.ranks = 2, .batch = 8});
  const Folder folder;
  const std::string file = folder.file("plan.json");
  api::write_plan(plan, file);
  CHECK(read_file(file) == api::to_json(plan));
  CHECK(api::to_json(api::read_plan(file)) == api::to_json(plan));
}

TEST_CASE("api: networks have a name, parameters and another input size") {
  const api::Network network = api::read_network("configs/networks/unet-2d.json");
  CHECK(api::name_of(network) == "unet-2d");
  CHECK(api::parameter_count(network) > 1'000'000);
  CHECK(api::notes_of(network).empty());
  const api::Network smaller = api::read_network("configs/networks/unet-2d.json", "64x64");
  CHECK(api::parameter_count(smaller) == api::parameter_count(network));
  const auto memory_of = [](const api::Network& one) {
    const api::Request request{.ranks = 1, .batch = 1, .uniform = "n1"};
    return api::prediction_of(api::solve(one, api::default_platform(1), api::no_profile(), request))
        .memory_bytes;
  };
  CHECK(memory_of(smaller) < memory_of(network));
}

TEST_CASE("api: errors say kind, place, value and what is allowed") {
  CHECK(error_of([] { api::read_network("missing.json"); }).kind() == api::ErrorKind::io);
  const api::Error file = error_of([] { api::read_platform(lenet); });
  CHECK(file.kind() == api::ErrorKind::bad_input);
  CHECK(file.place().file == lenet);
  CHECK(file.place().pointer == "/schema");
  struct Case {
    const char* option;
    api::Request request;
  };
  for (const Case& one : {Case{"--ranks", {.ranks = 0}},
                          Case{"--ranks", {.ranks = 1048577}},
                          Case{"--batch", {.batch = 0}},
                          Case{"--axes", {.axes = "nx"}},
                          Case{"--uniform", {.ranks = 2, .uniform = "n4"}},
                          Case{"--precision", {.precision = static_cast<api::Precision>(9)}}}) {
    CAPTURE(one.option);
    const api::Error error = error_of([&] {
      api::solve(api::read_network(lenet), api::read_platform(dgx), api::no_profile(), one.request);
    });
    CHECK(error.kind() == api::ErrorKind::bad_input);
    CHECK(error.place().file == one.option);
    CHECK(!error.place().allowed.empty());
    CHECK(std::string(error.what()).find(error.place().allowed) != std::string::npos);
  }
  CHECK(error_of([] { api::default_platform(0); }).place().file == "--ranks");
  const api::Platform platform = api::read_platform(dgx);
  CHECK(error_of([&] { api::resized(platform, 0, 8); }).place().file == "--nodes");
  CHECK(error_of([&] { api::resized(platform, 1, 0); }).place().file == "--ranks-per-node");
}

TEST_CASE("api: a plan that fits nowhere is infeasible") {
  Platform small = default_platform(1);
  small.memory_bytes = 1 << 20;
  const Folder folder;
  write_file(folder.file("small.json"), to_json(small));
  const api::Platform platform = api::read_platform(folder.file("small.json"));
  const api::Error error = error_of([&] {
    api::solve(api::read_network("configs/networks/resnet50.json"),
               platform,
               api::no_profile(),
               {.ranks = 1, .batch = 1, .uniform = "n1"});
  });
  CHECK(error.kind() == api::ErrorKind::infeasible);
}

TEST_CASE("api: a profile is recorded with the plan, or refused for another device") {
  const Folder folder;
  write_file(folder.file("profile.json"), to_json(sample_profile()));
  const api::Profile profile = api::read_profile(folder.file("profile.json"));
  const api::Network network = api::read_network(lenet);
  const api::Platform platform = api::read_platform(dgx);
  const auto refused = [&](const auto& function) {
    const api::Error error = error_of(function);
    CHECK(error.place().file == "profile.json");
    CHECK(error.place().pointer == "/fingerprint/device");
  };
  refused([&] { api::solve(network, platform, profile, {.ranks = 1, .batch = 1}); });
  const api::Plan plan =
      api::solve(network, api::default_platform(1), profile, {.ranks = 1, .batch = 1});
  const Plan made = parse_plan(api::to_json(plan), "plan.json");
  REQUIRE(made.inputs.size() == 2);
  CHECK(made.inputs.back() == input_file("profile.json", to_json(sample_profile())));
  refused([&] { api::predict(plan, platform, profile); });
}

}  // namespace cnnplan::test
