// Checks the names of plans, which say where a plan comes from.
#include "planner/search/plans/plan_origin.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("PlanOrigin: names of uniform plans are their splits") {
  const Split split{.mesh = parse_mesh("n2c4"),
                    .channel_algorithm = ChannelAlgorithm::stationary_x};
  CHECK(to_text(PlanOrigin{UniformOrigin{.split = split}}) == "n2c4 stationary_x");
  CHECK(to_text(PlanOrigin{UniformOrigin{.split = {parse_mesh("h4")}, .recomputed = true}}) ==
        "h4, recomputed");
}

TEST_CASE("PlanOrigin: names of plans that a search found") {
  struct Row {
    SearchOrigin origin;
    const char* name;
  };
  for (const Row& row : {Row{SearchOrigin::shortest_path, "shortest path"},
                         Row{SearchOrigin::least_additive_cost, "least additive cost"},
                         Row{SearchOrigin::longest_path_first, "longest path first"},
                         Row{SearchOrigin::least_work_of_a_rank, "least work of a rank"},
                         Row{SearchOrigin::near_tie, "near tie"},
                         Row{SearchOrigin::least_cost_that_fits, "least additive cost that fits"},
                         Row{SearchOrigin::least_memory, "least memory"}}) {
    CHECK(to_text(PlanOrigin{row.origin}) == row.name);
  }
}

TEST_CASE("PlanOrigin: names of plans that split chains by layers") {
  ChainOrigin chains{.mesh = parse_mesh("n2l4")};
  CHECK(to_text(PlanOrigin{chains}) == "chains on n2l4");
  chains.others_by_stage = true;
  CHECK(to_text(PlanOrigin{chains}) == "chains on n2l4, others by stage");
  chains.coarsening = 16;
  chains.levels = 2;
  CHECK(to_text(PlanOrigin{chains}) == "multigrid n2l4, coarsening 16, 2 levels, others by stage");
  chains.concurrency = 4;
  CHECK(to_text(PlanOrigin{chains, true}) ==
        "multigrid n2l4, coarsening 16, 2 levels, 4 groups at the same time, others by stage, "
        "interior first");
  CHECK(to_text(PlanOrigin{GroupOrigin{.stages = 4}}) == "others on groups of 4");
}

// The value decides, also where the name goes on after ", others by stage".
TEST_CASE("PlanOrigin: others are by stage only in plans that split chains") {
  CHECK(has_others_by_stage({ChainOrigin{.others_by_stage = true}}));
  CHECK(has_others_by_stage({ChainOrigin{.others_by_stage = true}, true}));
  CHECK_FALSE(has_others_by_stage({ChainOrigin{}}));
  CHECK_FALSE(has_others_by_stage({SearchOrigin::near_tie}));
  CHECK_FALSE(has_others_by_stage({}));
}

}  // namespace cnnplan::test
