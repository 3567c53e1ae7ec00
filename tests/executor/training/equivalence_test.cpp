// Tests that every random plan of a random network computes what one rank computes, on 1 to 4
// ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/network/network_json.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/tensor/enumerators.hpp"
#include "planner/tensor/shape.hpp"
#include "tests/executor/environment.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Holds the limits of a precision. Some cases say nothing about plans, because a ReLU or a maximum
// is on the edge. In such a case, a change of the first weights by `probe`, some roundings of the
// precision, moves the oracle by more than the tolerance. In 16 bits, a case also says nothing if
// one rank alone is as far from the oracle.
struct Limits {
  Precision precision = Precision::fp32;
  double tolerance = 0.0;
  double smallest_part = 0.0;  // as in largest_difference
  double probe = 0.0;
  double max_unstable_part = 0.0;
};
constexpr std::array<Limits, 4> all_limits{{{Precision::fp32, float_tolerance, 1e-2, 1e-6, 0.02},
                                            {Precision::tf32, 4e-2, 0.1, 1e-3, 0.3},
                                            {Precision::fp16, 4e-2, 0.1, 1e-3, 0.3},
                                            {Precision::bf16, 0.25, 0.1, 8e-3, 0.3}}};
// The backend refuses kernels for which oneDNN has only slow code. At most this part of the cases
// may have such kernels.
constexpr double max_refused_part = 0.1;

const Limits& limits_of(Precision precision) {
  return *std::find_if(all_limits.begin(), all_limits.end(), [precision](const Limits& limits) {
    return limits.precision == precision;
  });
}

// Returns the backend under test, and the backend that computes in double.
std::string backend_name() {
  return tested_backend("onednn");
}
std::string precise_backend_name() {
  return tested_backend("reference");
}

// Says what random plans split: positions only, also channels, or positions along one dim with
// interiors and strips.
enum class Splits { positions, channels, rows };
constexpr std::array<std::string_view, 3> splits_names{"positions", "channels", "rows"};

Plan random_plan_of(Splits splits, std::uint64_t seed, int ranks) {
  if (splits == Splits::rows) return random_row_plan(seed, ranks);
  return splits == Splits::channels ? random_channel_plan(seed, ranks) : random_plan(seed, ranks);
}

bool gathers_by_node(const LayerPlan& layer) {
  return layer.gather != GatherMethod::direct;
}

bool is_lowered(const Plan& plan) {
  try {
    lower(plan, 0);
    return true;
  } catch (const InputError&) {
    return false;  // the nodes need no common block, or cannot cut it so
  }
}

// Lets layers gather their inputs along a random dim, wherever the lowering allows that. Nodes have
// a half of the ranks.
Plan with_random_gathers(Plan plan, std::uint64_t seed) {
  if (plan.ranks < 4 || plan.ranks % 2 != 0) return plan;
  plan.ranks_per_node = plan.ranks / 2;
  std::mt19937_64 random(seed);
  for (const LayerIndex i : plan.layers.indices()) {
    if (!may_gather(plan, i) || is_by_multigrid(plan, i)) continue;
    GatherMethod& gather = plan.layers[i].gather;
    std::array<Dim, dim_count> dims = all_dims;
    std::shuffle(dims.begin(), dims.end(), random);
    for (const Dim dim : dims) {
      gather = by_node(dim);
      if (is_lowered(plan)) break;
      gather = GatherMethod::direct;
    }
  }
  return plan;
}

struct Case {
  std::uint64_t seed = 0;
  Plan plan;
  Splits splits = Splits::positions;

  Plan in_double() const {
    Plan precise = plan;
    precise.precision = Precision::fp64;
    return precise;
  }
  const Limits& limits() const { return limits_of(plan.precision); }
  // Without a scale, error signals of fp16 would vanish.
  double loss_scale() const { return plan.precision == Precision::fp16 ? 1024.0 : 1.0; }
  std::string text(const Communicator& world) const {
    return "\nreplay: CNNPLAN_PRECISION=" + std::string(to_text(plan.precision)) +
           " CNNPLAN_SPLITS=" + std::string(splits_names[static_cast<std::size_t>(splits)]) +
           " CNNPLAN_FIRST_CASE=" + std::to_string(seed) + " CNNPLAN_CASES=1 mpirun -n " +
           std::to_string(world.size()) + " equivalence_test\n" + to_json(plan);
  }
};

enum class Verdict { equal, different, unstable, refused };

class Equivalence {
 public:
  explicit Equivalence(const Communicator& world)
      : world_(world), self_(Communicator::group(world, {world.rank()})) {}

  // Returns the same verdict on all ranks. Is collective.
  Verdict check(const Case& random) {
    const std::optional<std::string> refused = refusal(random);
    if (world_.maximum(refused ? 1.0 : 0.0) > 0.0) {
      if (refused) MESSAGE("case " << random.seed << ": " << *refused);
      return Verdict::refused;
    }
    const RunResult floats = run(random, random.plan, backend_name());
    const RunResult again = run(random, random.plan, backend_name());
    const RunResult doubles = run(random, random.in_double(), precise_backend_name());
    const bool repeats = floats == again;
    const bool shared = same_on_all_ranks(floats, world_) && same_on_all_ranks(doubles, world_);
    CHECK_MESSAGE(repeats, "a second run differs" << random.text(world_));
    CHECK_MESSAGE(shared, "ranks differ" << random.text(world_));
    const auto verdict = static_cast<std::int64_t>(
        world_.rank() == 0 ? compare(random, floats, doubles) : Verdict::equal);
    return static_cast<Verdict>(world_.broadcast(verdict, 0));
  }

 private:
  RunResult run(const Case& random, const Plan& plan, const std::string& backend) {
    return run_plan(with_implementations(plan, backend, world_),
                    {.backend = backend, .seed = training_seed, .loss_scale = random.loss_scale()},
                    world_);
  }
  RunResult run_alone(const Case& random,
                      const Plan& plan,
                      const std::string& backend,
                      double perturbation = 0.0) {
    return run_plan(on_one_rank(plan),
                    {.backend = backend,
                     .seed = training_seed,
                     .loss_scale = random.loss_scale(),
                     .perturbation = perturbation},
                    self_);
  }
  std::optional<std::string> refusal(const Case& random) const {
    const auto refused = refused_kernel(random.plan, backend_name(), world_.rank());
    return refused || world_.rank() > 0
               ? refused
               : refused_kernel(on_one_rank(random.plan), backend_name(), 0);
  }

  Verdict compare(const Case& random, const RunResult& floats, const RunResult& doubles) {
    const RunResult oracle = run_alone(random, random.in_double(), "reference");
    const RunResult alone = run_alone(random, random.plan, backend_name());
    const double tolerance = random.limits().tolerance;
    const double part = random.limits().smallest_part;
    const Difference exact = largest_difference(doubles, oracle);
    CHECK_MESSAGE(
        exact.size <= double_tolerance,
        exact.tensor << " is off by " << exact.size << " in double" << random.text(world_));
    const Difference to_oracle = largest_difference(floats, oracle, part);
    const Difference to_alone = largest_difference(floats, alone, part);
    if (to_oracle.size <= tolerance && to_alone.size <= tolerance) {
      return exact.size <= double_tolerance ? Verdict::equal : Verdict::different;
    }
    const bool is_coarse = activation_bytes(random.plan.precision) == 2 &&
                           largest_difference(alone, oracle, part).size > tolerance;
    if (is_coarse || is_unstable(random, oracle)) return Verdict::unstable;
    CHECK_MESSAGE(to_oracle.size <= tolerance,
                  to_oracle.tensor << " is off by " << to_oracle.size << random.text(world_));
    CHECK_MESSAGE(
        to_alone.size <= tolerance,
        to_alone.tensor << " differs from one rank by " << to_alone.size << random.text(world_));
    return Verdict::different;
  }

  bool is_unstable(const Case& random, const RunResult& oracle) {
    const Limits& limits = random.limits();
    for (const double change : {limits.probe, -limits.probe}) {
      const RunResult moved = run_alone(random, random.in_double(), "reference", change);
      if (largest_difference(moved, oracle, limits.smallest_part).size > limits.tolerance)
        return true;
    }
    return false;
  }

  static constexpr std::uint64_t training_seed = 7;
  const Communicator& world_;
  Communicator self_;
};

// In fp32, 1 to 8 ranks have 390 cases together. A slow build has few. On two cores, a case on 6 or
// 8 ranks takes about four times as long as a case on 2 ranks.
int wanted_cases(int ranks, Precision precision) {
  const bool is_even = ranks % 2 == 0;
  const int many = is_even ? 100 : 70;
  const int usual = ranks == 1 || ranks > 4 ? 40 : many;
  const int few = is_even ? 8 : 6;
  const int cases = is_slow_build ? few : usual;
  const bool is_usual = precision == Precision::fp32;
  return environment_number("CNNPLAN_CASES", is_usual ? cases : cases / 2);
}

bool is_asked_for(const char* variable, std::string_view value) {
  const char* const asked_for = std::getenv(variable);
  return asked_for == nullptr || value == asked_for;
}

void check_cases(Equivalence& equivalence,
                 const Limits& limits,
                 Splits splits,
                 const Communicator& world) {
  const int first = environment_number("CNNPLAN_FIRST_CASE", 1000 * world.size());
  const int wanted = wanted_cases(world.size(), limits.precision);
  std::map<Verdict, int> counts;
  std::ptrdiff_t gathers = 0;
  for (int i = 0; counts[Verdict::equal] < wanted && i < 2 * wanted; ++i) {
    const auto seed = static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i);
    Case random{seed, random_plan_of(splits, seed, world.size()), splits};
    random.plan.precision = limits.precision;
    if (seed % 2 == 1) random.plan = with_random_gathers(std::move(random.plan), seed);
    gathers += std::ranges::count_if(random.plan.layers, gathers_by_node);
    ++counts[equivalence.check(random)];
  }
  if (world.rank() == 0) {
    MESSAGE(to_text(limits.precision)
            << ", " << splits_names[static_cast<std::size_t>(splits)] << ": "
            << counts[Verdict::equal] << " cases equal, " << counts[Verdict::refused]
            << " refused, " << counts[Verdict::unstable] << " on an edge, " << gathers
            << " gathers node by node");
  }
  CHECK(counts[Verdict::different] == 0);
  CHECK(counts[Verdict::equal] == wanted);
  CHECK(counts[Verdict::unstable] <= limits.max_unstable_part * wanted);
  CHECK(counts[Verdict::refused] <= std::ceil(max_refused_part * wanted));
}

TEST_CASE("Training: some of the random plans gather node by node") {
  std::ptrdiff_t gathers = 0;
  for (std::uint64_t seed = 4001; seed < 4100; seed += 2) {
    const Plan plan = with_random_gathers(random_plan(seed, 4), seed);
    gathers += std::ranges::count_if(plan.layers, gathers_by_node);
  }
  CHECK(gathers > 5);
}

TEST_CASE("Training: random plans compute what one rank and the reference compute") {
  const Communicator world = Communicator::world();
  Equivalence equivalence(world);
  for (const Limits& limits : all_limits) {
    if (!is_asked_for("CNNPLAN_PRECISION", to_text(limits.precision))) continue;
    if (!kept_backend(backend_name()).supports(limits.precision)) continue;
    for (const Splits splits : {Splits::positions, Splits::channels, Splits::rows}) {
      const bool is_split = splits == Splits::positions || world.size() > 1;
      if (!is_split ||
          !is_asked_for("CNNPLAN_SPLITS", splits_names[static_cast<std::size_t>(splits)]))
        continue;
      check_cases(equivalence, limits, splits, world);
    }
  }
}

// The gradients of these layers are long enough to be summed in blocks, and read by two layers.
constexpr const char* wide_network = R"({
  "schema": "cnnplan.network/1",
  "name": "wide",
  "layers": [
    {"name": "data", "kind": "input", "channels": 3, "size": [8, 8]},
    {"name": "conv1", "kind": "convolution", "filters": 64, "kernel": 1},
    {"name": "bn1", "kind": "batch_norm"},
    {"name": "conv2", "kind": "convolution", "filters": 48, "kernel": 3, "padding": 1},
    {"name": "relu2", "kind": "relu"},
    {"name": "left", "kind": "convolution", "input": "relu2", "filters": 48, "kernel": 1},
    {"name": "right", "kind": "convolution", "input": "relu2", "filters": 48, "kernel": 1},
    {"name": "sum", "kind": "add", "inputs": ["left", "right"]},
    {"name": "fc", "kind": "fully_connected", "outputs": 10},
    {"name": "loss", "kind": "softmax_cross_entropy"}
  ]
})";

TEST_CASE("Training: sums into replicated layers, in blocks") {
  const Communicator world = Communicator::world();
  if (world.size() < 3) return;
  const Network network = parse_network(wide_network, "wide.json");
  Plan plan = uniform_plan(network, 4, Mesh({{Axis::r, world.size()}}));
  for (const char* layer : {"conv2", "left", "right", "fc"}) {
    plan.layers[*network.index_of(layer)].mesh = Mesh({{Axis::c, world.size()}});
  }
  const Schedule schedule = lower(plan, world.rank());
  const auto is_gather = [](const Operation& operation) {
    return operation.id.ends_with("shuffle/allgather");
  };
  CHECK(std::count_if(schedule.operations.begin(), schedule.operations.end(), is_gather) == 4);
  Equivalence equivalence(world);
  CHECK(equivalence.check({.seed = 1, .plan = plan}) == Verdict::equal);
}

// Nodes have several ranks, some of which own no sample. No number of ranks divides the shapes.
constexpr const char* gathered_network = R"({
  "schema": "cnnplan.network/1",
  "name": "gathered",
  "layers": [
    {"name": "data", "kind": "input", "channels": 3, "size": [9, 7]},
    {"name": "conv1", "kind": "convolution", "filters": 9, "kernel": 1},
    {"name": "conv2", "kind": "convolution", "filters": 13, "kernel": 3, "padding": 1},
    {"name": "pool", "kind": "pooling", "mode": "max", "kernel": 1},
    {"name": "fc", "kind": "fully_connected", "outputs": 5},
    {"name": "loss", "kind": "softmax_cross_entropy"}
  ]
})";

TEST_CASE("Training: gathers node by node, cut along every dim") {
  const Communicator world = Communicator::world();
  const int ranks = world.size();
  if (ranks < 4 || ranks % 2 != 0) return;
  Equivalence equivalence(world);
  for (const GatherMethod method : Enumerators<GatherMethod>::all) {
    if (method == GatherMethod::direct) continue;
    Plan plan =
        uniform_plan(parse_network(gathered_network, "gathered.json"), 3, Mesh({{Axis::n, ranks}}));
    const auto layer = [&](const char* name) -> LayerPlan& {
      return plan.layers[*plan.network.index_of(name)];
    };
    plan.ranks_per_node = ranks / 2;
    layer("conv2").mesh = Mesh({{Axis::c, ranks}});
    layer("pool").mesh = Mesh({{Axis::h, ranks}});
    layer("fc").mesh = Mesh({{Axis::r, ranks}});
    layer("loss").mesh = Mesh({{Axis::r, ranks}});
    layer("conv2").gather = layer("fc").gather = method;
    const Schedule schedule = lower(plan, world.rank());
    const auto is_second = [](const Operation& operation) {
      return operation.id.ends_with("/within_nodes");
    };
    CHECK(std::ranges::count_if(schedule.operations, is_second) == 2);
    CHECK(equivalence.check({.seed = 1, .plan = plan}) == Verdict::equal);
  }
}

}  // namespace
}  // namespace cnnplan::test
