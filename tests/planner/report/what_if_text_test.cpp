// Tests the report about how a changed figure changes the step and the splits.
#include "planner/report/what_if_text.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

Plan with_step(double step_s) {
  Plan plan = small_plan();
  plan.prediction.step_s = step_s;
  return plan;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what if: steps with their speedup, and no table if no split changes") {
  const Plan before = with_step(0.4);
  const Plan kept = with_step(0.32);
  const std::string text =
      to_text({.before = before, .kept = kept, .after = kept}, "level.alpha_s*0.5");
  CHECK(text.starts_with("what if level.alpha_s*0.5\n"));
  CHECK(contains(text, "400.000 ms"));
  CHECK(contains(text, "1.250"));
  CHECK(contains(text, "no layer is split otherwise"));
}

TEST_CASE("what if: layers whose split changes are named with both meshes") {
  const Plan before = with_step(0.4);
  Plan after = with_step(0.2);
  after.layers[LayerIndex(1)].mesh = parse_mesh("w2");
  const std::string text = to_text({.before = before, .kept = before, .after = after}, "x*1");
  CHECK(contains(text, "1 of 6 layers"));
  CHECK(contains(text, "conv1"));
  CHECK(contains(text, "w2"));
  CHECK_FALSE(contains(text, "bn1"));
}

TEST_CASE("what if: another channel algorithm or recomputation counts as another split") {
  Plan before = with_step(0.4);
  before.layers[LayerIndex(1)].mesh = parse_mesh("c2");
  Plan other = before;
  other.layers[LayerIndex(1)].channel_algorithm = ChannelAlgorithm::stationary_x;
  other.layers[LayerIndex(2)].recompute = true;
  const std::string text = to_text({.before = before, .kept = before, .after = other}, "x*1");
  CHECK(contains(text, "2 of 6 layers"));
  CHECK(contains(text, "c2 stationary_x"));
  CHECK(contains(text, "computed again"));
}

TEST_CASE("what if: a plan that no longer fits is marked") {
  const Plan before = with_step(0.4);
  Plan kept = before;
  kept.prediction.memory.available_bytes = kept.prediction.memory.total_bytes() - 1;
  const std::string text = to_text({.before = before, .kept = kept, .after = before}, "x*1");
  CHECK(contains(text, "does not fit"));
  CHECK_FALSE(contains(to_text({.before = before, .kept = before, .after = before}, "x*1"),
                       "does not fit"));
}

}  // namespace cnnplan
