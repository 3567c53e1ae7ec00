// Tests of planner/search/explain/sensitivity, which compare flips with the prices of the search.
#include "planner/search/explain/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/search/explain/figure_flips.hpp"
#include "planner/search/explain/margins.hpp"
#include "planner/search/pricing/pricing.hpp"
#include "planner/search/solve.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/candidates/covering_plans.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

std::vector<Segment> random_segments(RandomValues& random) {
  const double alpha_s = 1e-6 * random.small(1, 100);
  const double beta_s_per_byte = 1e-11 * random.small(1, 100);
  return {{4096, alpha_s, 2 * beta_s_per_byte}, {1 << 30, 3 * alpha_s, beta_s_per_byte}};
}

// Makes a platform of pairs of ranks with links between the pairs.
Platform random_platform(RandomValues& random, int ranks) {
  Platform platform = default_platform(ranks);
  platform.levels = {{.name = "node",
                      .ranks_per_group = 2,
                      .segments = random_segments(random),
                      .duplex_factor = 0.5 + random.fraction()},
                     {.name = "cluster",
                      .ranks_per_group = std::max(ranks, 2),
                      .segments = random_segments(random)}};
  if (random.boolean()) {
    platform.allreduce = {{.ranks = ranks, .segments = random_segments(random)}};
  } else {
    Level& cluster = platform.levels.back();
    cluster.exchange_segments = cluster.segments;
    cluster.exchange_segments.back().beta_s_per_byte *= 1.75;
  }
  return platform;
}

// Gives random times to the kernels of one covering plan. Other kernels are estimated from these.
Profile random_profile(RandomValues& random, const SolveRequest& request) {
  Profile profile;
  profile.fingerprint.device = "random";
  const Plan blank = uniform_plan(request.network, request.batch, Mesh({{Axis::r, request.ranks}}));
  for (const Schedule& schedule : lower_all(covering_plans(blank).front())) {
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr) continue;
      const double seconds = 1e-6 * random.small(1, 100);
      profile.kernels[canonical(kernel->spec)] = {
          .repetitions = 10, .median_s = seconds, .mean_s = seconds, .min_s = seconds};
    }
  }
  return profile;
}

SolveRequest request_of(const Network& network, std::int64_t batch, int ranks) {
  SolveRequest request{.network = network};
  request.ranks = ranks;
  request.batch = batch;
  request.platform = default_platform(ranks);
  return request;
}

MachineFigure figure_of(const char* level, const char* name) {
  return {.owner = FigureOwner::level, .level = level, .name = name};
}

Network lenet() {
  return read_network("configs/networks/lenet.json");
}

Sensitivity sensitivity_of(const Plan& plan,
                           const SolveRequest& request,
                           const std::string& layer = {}) {
  return sensitivity(plan, request.platform, request.profile, layer);
}

const UnitMargin& margin_of(const Plan& plan, const std::string& layer) {
  const auto& margins = plan.prediction.margins;
  return *std::find_if(margins.begin(), margins.end(), [&](const UnitMargin& margin) {
    return margin.layers.front() == layer;
  });
}

// Holds the sums of a plan and of the plan with the changes of a margin. They are priced among all
// candidates of the search, on a machine with another figure.
struct Sums {
  double plan_s = 0.0;
  double other_s = 0.0;
  bool flipped() const { return other_s < plan_s; }
};

Sums sums_with(const Plan& plan,
               const SolveRequest& request,
               const UnitMargin& margin,
               const MachineFigure& figure,
               double factor) {
  Platform platform = request.platform;
  Profile profile = request.profile;
  apply(multiplied(figure, factor), platform, profile);
  const KernelCosts kernels(profile, platform);
  const PricedNetwork priced =
      price_network(plan, split_choices(plan, request.axes), PriceList(platform, kernels));
  Assignment own;
  Assignment other;
  for (const UnitSplits& unit : priced.choices.units) {
    const auto index_of = [&unit](const Split& split) {
      const auto found = std::find(unit.splits.begin(), unit.splits.end(), split);
      return static_cast<int>(found - unit.splits.begin());
    };
    own.push_back(index_of(plan.layers[unit.unit.head()].split()));
    other.push_back(own.back());
    for (const UnitChoice& choice : margin.changes) {
      const bool is_this = choice.layer == plan.network.layer(unit.unit.head()).name;
      if (is_this) other.back() = index_of(choice.split);
    }
  }
  const CostGraph& graph = priced.graph_of(plan.prediction.margins_sum, plan.ranks);
  return {.plan_s = total_cost(graph, own), .other_s = total_cost(graph, other)};
}

// Checks that the runner-up wins just beyond the factor, but not before it.
void check_flip(const Plan& plan,
                const SolveRequest& request,
                const RunnerUpPlan& runner_up,
                const Flip& flip) {
  constexpr double beyond = 1e-4;
  const double direction = flip.factor > 1.0 ? 1.0 : -1.0;
  const auto flipped_at = [&](const std::string& layer, double factor) {
    return sums_with(plan, request, margin_of(plan, layer), flip.figure.figure, factor).flipped();
  };
  for (const std::string& layer : runner_up.layers) {
    CAPTURE(layer);
    CAPTURE(to_text(flip.figure.figure));
    CAPTURE(flip.factor);
    CHECK_FALSE(flipped_at(layer, flip.factor * (1 - direction * beyond)));
    CHECK(flipped_at(layer, flip.factor * (1 + direction * beyond)));
    CHECK_FALSE(flipped_at(layer, std::sqrt(flip.factor)));
  }
}

// Checks every flip of a plan, and returns their number.
std::size_t check_flips(const SolveRequest& request) {
  const Plan plan = solve(request);
  const Sensitivity found = sensitivity_of(plan, request);
  for (const Flip& flip : found.flips) {
    CHECK(flip.factor >= 1 / found.most_factor);
    CHECK(flip.factor <= found.most_factor);
    if (flip.factor == 1.0) continue;
    check_flip(plan, request, found.runner_ups.at(flip.runner_up), flip);
  }
  return found.flips.size();
}

}  // namespace

TEST_CASE("sensitivity: just beyond the factor, the runner-up costs less than the plan" *
          doctest::skip(is_slow_build)) {
  RandomValues random(11);
  constexpr int trials = is_slow_build ? 2 : 10;
  std::size_t flips = 0;
  for (int trial = 0; trial < trials; ++trial) {
    CAPTURE(trial);
    SolveRequest request = request_of(trial % 2 == 0 ? lenet() : backward_add(), 8, 4);
    request.platform = random_platform(random, request.ranks);
    flips += check_flips(request);
  }
  CHECK(flips > 2 * trials);
}

TEST_CASE("sensitivity: times of kernels flip choices, too, and are told as parts of the sum") {
  RandomValues random(12);
  std::size_t kernel_flips = 0;
  for (int trial = 0; trial < (is_slow_build ? 1 : 4); ++trial) {
    SolveRequest request = request_of(lenet(), 8, 4);
    request.profile = random_profile(random, request);
    check_flips(request);
    const Sensitivity found = sensitivity_of(solve(request), request);
    for (const Flip& flip : found.flips) {
      if (flip.figure.figure.owner != FigureOwner::kernels) continue;
      ++kernel_flips;
      CHECK(flip.figure.most > 0.0);
      CHECK(flip.figure.most < found.sum_s);
    }
  }
  CHECK(kernel_flips > 0);
}

TEST_CASE("sensitivity: without a flip, the runner-up costs more with any factor" *
          doctest::skip(is_slow_build)) {
  RandomValues random(13);
  SolveRequest request = request_of(lenet(), 8, 4);
  request.platform = random_platform(random, request.ranks);
  const Plan plan = solve(request);
  const Sensitivity found = sensitivity_of(plan, request);
  const std::vector factors{0.2, 5.0, 0.0626, 0.5, 2.0, 15.9};
  int without = 0;
  for (std::size_t i = 0; i < found.runner_ups.size(); ++i) {
    for (const PriceFigure& figure : price_figures(request.platform, request.profile)) {
      const bool flips = std::any_of(found.flips.begin(), found.flips.end(), [&](const Flip& flip) {
        return flip.runner_up == i && (flip.figure.figure == figure.figure || figure.several);
      });
      if (flips || found.runner_ups[i].margin_s == 0.0) continue;
      ++without;
      const UnitMargin& margin = margin_of(plan, found.runner_ups[i].layers.front());
      for (const double factor : factors) {
        if (!factors_of(figure.figure, request.platform).holds(factor)) continue;
        CHECK_FALSE(sums_with(plan, request, margin, figure.figure, factor).flipped());
      }
    }
  }
  CHECK(without > 0);
}

TEST_CASE("sensitivity: margins are those of the plan where it is the cheapest in sum") {
  RandomValues random(14);
  SolveRequest request = request_of(backward_add(), 4, 4);
  request.platform = random_platform(random, request.ranks);
  const Plan plan = solve(request);
  const Sensitivity found = sensitivity_of(plan, request);
  REQUIRE(found.shorter.empty());
  REQUIRE(!found.runner_ups.empty());
  for (std::size_t i = 0; i < found.runner_ups.size(); ++i) {
    const RunnerUpPlan& runner_up = found.runner_ups[i];
    for (const std::string& layer : runner_up.layers) {
      CHECK(runner_up.margin_s == relative(margin_of(plan, layer).margin_s, 1e-9));
      CHECK(runner_up.runner_up == margin_of(plan, layer).runner_up);
    }
    if (i > 0) CHECK(found.runner_ups[i - 1].margin_s <= runner_up.margin_s * (1 + 1e-9));
  }
}

TEST_CASE("sensitivity: a level that no plan sends over is not named") {
  SolveRequest request = request_of(lenet(), 8, 2);
  RandomValues random(15);
  request.platform = random_platform(random, 4);
  request.platform.allreduce.clear();
  const Sensitivity found = sensitivity_of(solve(request), request);
  REQUIRE(!found.figures.empty());
  for (const MachineFigure& figure : found.figures) CHECK(figure.level != "cluster");
  CHECK(std::count(found.figures.begin(), found.figures.end(), figure_of("node", "alpha_s")) == 1);
  for (const Flip& flip : found.flips) {
    CHECK(flip.figure.figure.level != "cluster");
    // The figure of all levels flips what the figure of the node alone flips.
    CHECK(flip.figure.figure.level != "level");
  }
}

TEST_CASE("sensitivity: the runner-up of one layer, whatever it is split with") {
  const SolveRequest request = request_of(lenet(), 8, 4);
  const Plan plan = solve(request);
  for (const char* layer : {"conv2", "fc1", "pool1"}) {
    const Sensitivity found = sensitivity_of(plan, request, layer);
    REQUIRE(found.runner_ups.size() == 1);
    CHECK(found.runner_ups.front().runner_up == margin_of(plan, layer).runner_up);
    const auto& layers = found.runner_ups.front().layers;
    CHECK(layers.front() == layer);
    CHECK(std::count(layers.begin(), layers.end(), layer) == 1);
  }
}

TEST_CASE("sensitivity: blocks that repeat are told once" * doctest::skip(is_slow_build)) {
  const Network mesh = read_network("configs/networks/mesh-1k.json");
  const SolveRequest request = request_of(with_input_size(mesh, {1, 128, 128}), 4, 4);
  const Plan plan = solve(request);
  const Sensitivity found = sensitivity_of(plan, request);
  const auto repeated = std::find_if(
      found.runner_ups.begin(), found.runner_ups.end(), [&](const RunnerUpPlan& runner_up) {
        const auto& layers = runner_up.layers;
        return layers.size() > 1 &&
               margin_of(plan, layers[0]).changes != margin_of(plan, layers[1]).changes;
      });
  REQUIRE(repeated != found.runner_ups.end());
  for (const std::string& layer : repeated->layers) {
    CHECK(margin_of(plan, layer).runner_up == repeated->runner_up);
  }
}

TEST_CASE("ComparedPlans: margins of a rank whose work is not added up") {
  const SolveRequest request = request_of(lenet(), 8, 8);
  Plan plan = solve(request);
  plan.prediction.margins_sum.rank = 3;
  CHECK_THROWS_AS(ComparedPlans(plan, {}).sums_s(request.platform, request.profile), InputError);
}

TEST_CASE("ComparedPlans: outputs that are computed again are priced so") {
  const Network mesh = read_network("configs/networks/mesh-1k.json");
  SolveRequest request = request_of(with_input_size(mesh, {1, 128, 128}), 2, 2);
  const std::int64_t bytes = solve(request).prediction.memory.total_bytes();
  request.platform.memory_bytes = bytes - bytes / 20;
  const Plan again = solve(request);
  Plan kept = again;
  for (LayerPlan& layer : kept.layers) layer.recompute = false;
  REQUIRE(kept.layers != again.layers);
  const auto sum_s = [&](const Plan& plan) {
    return ComparedPlans(plan, {}).sums_s(request.platform, request.profile).front();
  };
  CHECK(sum_s(kept) < sum_s(again));
  CHECK_NOTHROW(sensitivity_of(again, request));
}

TEST_CASE("sensitivity: what takes less in sum already is left out and named") {
  const SolveRequest request = request_of(lenet(), 8, 4);
  const Plan best = solve(request);
  const auto& margins = best.prediction.margins;
  const auto alone = std::find_if(margins.begin(), margins.end(), [](const UnitMargin& margin) {
    return margin.changes.size() == 1 && margin.margin_s > 0.0;
  });
  REQUIRE(alone != margins.end());
  Plan worse = best;
  UnitMargin back = *alone;
  for (const std::string& layer : alone->layers) {
    LayerPlan& changed = worse.layers[best.network.index_of(layer).value()];
    if (layer == alone->layers.front()) back.changes.front().split = changed.split();
    changed.set(layer == alone->layers.front() ? alone->changes.front().split
                                               : Split{.mesh = alone->changes.front().split.mesh});
  }
  worse.prediction.margins = {back};
  const Sensitivity found = sensitivity_of(worse, request);
  CHECK(found.runner_ups.empty());
  CHECK(found.shorter == std::vector<std::string>{alone->layers.front()});
}

TEST_CASE("sensitivity: on a machine that is at the flip, the factor is 1") {
  SolveRequest request = request_of(lenet(), 8, 4);
  const Plan plan = solve(request);
  const Flip flip = sensitivity_of(plan, request).flips.front();
  REQUIRE(flip.factor != 1.0);
  apply(multiplied(flip.figure.figure, flip.factor), request.platform, request.profile);
  const Flip there = sensitivity_of(plan, request).flips.front();
  CHECK(there.factor == relative(1.0, 1e-9));
}

TEST_CASE("sensitivity: a figure that files may not have so large is looked at downwards only") {
  SolveRequest request = request_of(lenet(), 8, 4);
  request.platform.levels.front().duplex_factor = 900.0;
  const Sensitivity found = sensitivity_of(solve(request), request);
  const MachineFigure duplex_factor = figure_of("node", "duplex_factor");
  CHECK(std::count(found.figures.begin(), found.figures.end(), duplex_factor) == 1);
  for (const Flip& flip : found.flips) {
    if (flip.figure.figure == duplex_factor) CHECK(flip.factor < 1.0);
  }
}

TEST_CASE("sensitivity: links at full duplex get no factor that a what-if refuses") {
  SolveRequest request = request_of(read_network("configs/networks/unet-2d.json"), 8, 8);
  request.platform = read_platform("configs/platforms/dgx-h100.json");
  const Sensitivity found = sensitivity_of(solve(request), request);
  REQUIRE(!found.flips.empty());
  for (const Flip& flip : found.flips) {
    CAPTURE(to_text(flip.figure.figure));
    Platform platform = request.platform;
    CHECK_NOTHROW(apply(multiplied(flip.figure.figure, flip.factor), platform, request.profile));
    if (flip.figure.figure.name == "duplex_factor") CHECK(flip.factor >= 1.0);
  }
}

TEST_CASE("figure_flips: plans that are the same never part") {
  const SolveRequest request = request_of(lenet(), 8, 4);
  const Plan plan = solve(request);
  const UnitMargin same{.layers = {"conv1"}, .changes = {}};
  const ComparedPlans plans(plan, {&same});
  const std::vector<double> now_s = plans.sums_s(request.platform, request.profile);
  for (const FigureFlips& flips : figure_flips(plans, {request.platform, request.profile}, now_s)) {
    CHECK_FALSE(flips.factors.front());
  }
}

TEST_CASE("sensitivity: a plan without margins has none; changes that are no plan are refused") {
  const SolveRequest request = request_of(lenet(), 8, 4);
  Plan plan = solve(request);
  Plan none = plan;
  none.prediction.margins.clear();
  CHECK(sensitivity_of(none, request).runner_ups.empty());
  UnitMargin& margin = plan.prediction.margins.back();
  margin.changes = {{.layer = margin.layers.front(), .split = {.mesh = parse_mesh("n3")}}};
  CHECK_THROWS_AS(sensitivity_of(plan, request), InputError);
}

}  // namespace cnnplan::test
