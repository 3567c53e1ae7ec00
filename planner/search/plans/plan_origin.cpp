// Prints the names of plans from their origins.
#include "planner/search/plans/plan_origin.hpp"

#include <array>
#include <cstddef>

namespace cnnplan {
namespace {

std::string name_of(const UniformOrigin& origin) {
  return to_text(origin.split) + (origin.recomputed ? ", recomputed" : "");
}

std::string name_of(SearchOrigin origin) {
  constexpr std::array names{"shortest path",
                             "least additive cost",
                             "longest path first",
                             "least work of a rank",
                             "near tie",
                             "least additive cost that fits",
                             "least memory"};
  return names.at(static_cast<std::size_t>(origin));
}

std::string name_of(const ChainOrigin& origin) {
  std::string name = (origin.levels == 0 ? "chains on " : "multigrid ") + to_text(origin.mesh);
  if (origin.levels > 0) {
    name += ", coarsening " + std::to_string(origin.coarsening) + ", " +
            std::to_string(origin.levels) + " levels";
  }
  if (origin.concurrency > 1) {
    name += ", " + std::to_string(origin.concurrency) + " groups at the same time";
  }
  return name + (origin.others_by_stage ? ", others by stage" : "");
}

std::string name_of(const GroupOrigin& origin) {
  return "others on groups of " + std::to_string(origin.stages);
}

}  // namespace

std::string to_text(const PlanOrigin& origin) {
  const auto name = [](const auto& proposal) { return name_of(proposal); };
  return std::visit(name, origin.proposal) + (origin.interior_first ? ", interior first" : "");
}

bool has_others_by_stage(const PlanOrigin& origin) {
  const auto* chains = std::get_if<ChainOrigin>(&origin.proposal);
  return chains != nullptr && chains->others_by_stage;
}

}  // namespace cnnplan
