// Validates the plan that would come of it.
#include "planner/search/request_check.hpp"

#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

// The problem is not in a plan file, but in what the option says.
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
    Plan plan = uniform_plan(network, batch, mesh);
    plan.ranks = ranks;
    validate(plan, "");
    return mesh;
  } catch (const InputError& error) {
    refuse("--uniform", error);
  }
}

}  // namespace cnnplan
