// Checks requests by validating the plan that they would make.
#include "planner/search/candidates/request_check.hpp"

#include <algorithm>

#include "planner/base/error.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan {
namespace {

// Names the option as the place of the problem, instead of a plan file.
[[noreturn]] void refuse(const char* option, const InputError& error) {
  throw InputError({.file = option,
                    .pointer = "",
                    .value = error.problem().value,
                    .allowed = error.problem().allowed});
}

}  // namespace

void check_batch(const Network& network, std::int64_t batch, int ranks) {
  try {
    validate(uniform_plan(network, batch, Mesh({{Axis::r, ranks}})), "");
  } catch (const InputError& error) {
    refuse("--batch", error);
  }
}

Mesh parse_uniform(const Network& network, std::int64_t batch, int ranks, std::string_view text) {
  try {
    Mesh mesh = parse_mesh(text);
    const Plan blank = uniform_plan(network, batch, Mesh({{Axis::r, ranks}}));
    validate(all_on(blank, {.mesh = mesh}), "");
    return mesh;
  } catch (const InputError& error) {
    refuse("--uniform", error);
  }
}

void check_reproducible(const Network& network, std::int64_t batch, int ranks, int blocks) {
  Plan plan = uniform_plan(network, batch, sample_mesh(ranks));
  plan.sample_blocks = blocks;
  plan.gradient_allreduce = plan.statistics_allreduce = AllreduceAlgorithm::recursive_doubling;
  for (LayerPlan& layer : plan.layers) layer.statistics = BatchNormStatistics::global;
  try {
    validate(plan, "");
  } catch (const InputError& error) {
    refuse("--reproducible", error);
  }
}

std::vector<Axis> parse_axes(std::string_view text) {
  const auto refuse_all = [text] {
    throw InputError({.file = "--axes",
                      .pointer = "",
                      .value = '"' + std::string(text) + '"',
                      .allowed = "some of the letters n c d h w, each once"});
  };
  if (text.empty()) refuse_all();
  std::vector<Axis> axes;
  for (const char letter : text) {
    const auto all = search_axes();
    const auto found = std::find_if(
        all.begin(), all.end(), [letter](Axis axis) { return to_char(axis) == letter; });
    const bool is_known = found != all.end();
    if (!is_known || std::find(axes.begin(), axes.end(), *found) != axes.end()) refuse_all();
    axes.push_back(*found);
  }
  return axes;
}

}  // namespace cnnplan
