// Tests the notes on assumptions of a prediction, and the commands that would measure instead.
#include "planner/report/advice.hpp"

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

constexpr const char* command =
    "mpirun -n 2 cnnplan profile nets/small.json --ranks 2 --batch 4 --input 16x16";

const TypedOptions typed{.network_file = "nets/small.json", .profile_file = "", .uniform = ""};

// Returns a measured platform of 2 ranks on each of `nodes` nodes.
Platform measured_platform(int nodes) {
  Platform platform;
  platform.measured = true;
  platform.levels = {{.name = "socket", .ranks_per_group = 1},
                     {.name = "node", .ranks_per_group = 2},
                     {.name = "cluster", .ranks_per_group = 2 * nodes}};
  return platform;
}

Profile profile_of(int busy_ranks) {
  Profile profile;
  profile.fingerprint.busy_ranks = busy_ranks;
  profile.kernels[KernelSpec{}] = {.repetitions = 10};
  return profile;
}

void set_estimated(Plan& plan, const std::vector<KernelSpec>& kernels) {
  plan.prediction.estimated_kernels.clear();
  plan.prediction.estimated_families.clear();
  for (const KernelSpec& spec : kernels) {
    plan.prediction.estimated_kernels.push_back(to_text(spec));
    plan.prediction.estimated_families.push_back({.family = family_of(spec)});
  }
}

Plan measured_plan() {
  Plan plan = small_plan();
  set_estimated(plan, {});
  return plan;
}

}  // namespace

TEST_CASE(
    "profile_advice: the plan's own ranks, batch and size, and the files as they were typed") {
  Plan plan = small_plan();
  CHECK(profile_advice(plan, measured_platform(1), Profile{}, typed) == command);
  std::vector<Layer> layers = plan.network.layers().elements();
  std::get<Input>(layers.front().parameters).size = {3, 8, 16};
  plan.network = Network(plan.network.name(), std::move(layers));
  plan.ranks = 4;
  const TypedOptions all{.network_file = "n.json", .profile_file = "p.json", .uniform = "n2h2"};
  CHECK(profile_advice(plan, default_platform(4), Profile{}, all) ==
        "mpirun -n 4 cnnplan profile n.json --ranks 4 --batch 4 --input 3x8x16 --uniform n2h2 "
        "-o p.json");
  // Four ranks on two nodes: two of them are enough, since kernels do not depend on other nodes.
  CHECK(profile_advice(plan, measured_platform(2), Profile{}, all)
            .starts_with("mpirun -n 2 cnnplan profile n.json --ranks 4 "));
  plan = small_plan();
  plan.precision = Precision::bf16;
  CHECK(profile_advice(plan, measured_platform(1), Profile{}, typed) ==
        std::string(command) + " --precision bf16");
}

TEST_CASE("assumptions: has no note if everything was measured as the plan runs") {
  CHECK(assumptions(measured_plan(), measured_platform(1), profile_of(2), typed).empty());
  CHECK(assumptions(measured_plan(), measured_platform(2), profile_of(2), typed).empty());
  CHECK(assumptions(measured_plan(), measured_platform(1), Profile{}, typed).empty());
}

TEST_CASE("assumptions: links that were assumed, or measured with fewer ranks") {
  Plan plan = measured_plan();
  CHECK(assumptions(plan, default_platform(2), Profile{}, typed) ==
        "links: assumed figures; measure them with:\n    mpirun -n 2 cnnplan profile --links\n");
  plan.ranks = 1;
  CHECK(assumptions(plan, default_platform(1), Profile{}, typed) ==
        "links: assumed figures; measure them with:\n    "
        "mpirun -n 1 cnnplan profile --links --device-only\n");
  plan.ranks = 4;
  CHECK(assumptions(plan, measured_platform(1), Profile{}, typed) ==
        "links: measured with 2 ranks, the plan has 4; measure them with:\n    "
        "mpirun -n 4 cnnplan profile --links\n");
}

TEST_CASE("assumptions: links of a machine that is described only") {
  Plan plan = measured_plan();
  Platform platform = default_platform(2);
  platform.name = "pod";
  CHECK(assumptions(plan, platform, Profile{}, typed) ==
        "links: nominal figures of pod, not measured; measure them with:\n    "
        "mpirun -n 2 cnnplan profile --links\n");
  plan.ranks = 4;
  CHECK(assumptions(plan, platform, Profile{}, typed)
            .starts_with("links: nominal figures of pod, of 2 ranks, the plan has 4; "));
}

TEST_CASE("missing_command: it names a plan file, but no stream") {
  const std::string start = profile_start(small_plan());
  CHECK(missing_command(start, "my plan.json") == "cnnplan profile --missing-from 'my plan.json'");
  for (const char* const file : {"", "-", "/dev/stdin", "/dev/fd/63"}) {
    CHECK(missing_command(start, file) == "cnnplan profile");
  }
}

TEST_CASE("profile_start: a plan for cores has mpirun start the ranks of a node") {
  Plan plan = small_plan();
  plan.ranks = 8;
  plan.ranks_per_node = 4;
  plan.device_kind = DeviceKind::cpu;
  CHECK(profile_start(plan) == "mpirun -n 4 cnnplan profile");
  plan.ranks = 2;
  CHECK(profile_start(plan) == "mpirun -n 2 cnnplan profile");
  plan.multigrid = {{.concurrency = 3}};
  CHECK(profile_start(plan) == "mpirun -n 2 --map-by slot:PE=3 cnnplan profile");
  plan.device_kind = DeviceKind::gpu;
  CHECK(profile_start(plan) == "cnnplan profile");
}

TEST_CASE("assumptions: a device that hides no communication") {
  Plan plan = measured_plan();
  Platform platform = measured_platform(1);
  platform.name = "pod";
  platform.kernels = KernelRates{.source = "by hand"};
  CHECK(assumptions(plan, platform, Profile{}, typed) ==
        "overlap: no communication is hidden, also with data parallelism; overlap_efficiency of "
        "platform pod is 0.0, as measured\n");
  platform.overlap_efficiency = 0.8;
  CHECK(assumptions(plan, platform, Profile{}, typed).empty());
  // Cores hide nothing, which only matters where the user asked for it.
  platform.kernels.reset();
  platform.overlap_efficiency = 0.01;
  CHECK(assumptions(plan, platform, Profile{}, typed).empty());
  plan.overlap = true;
  CHECK(assumptions(plan, platform, Profile{}, typed)
            .starts_with("overlap: only 1.0 % of communication is hidden"));
  plan.ranks = 1;
  CHECK(assumptions(plan, platform, Profile{}, typed).empty());
}

TEST_CASE("assumptions: says what kernels are estimated from") {
  Plan plan = small_plan();
  REQUIRE(plan.prediction.estimated_kernels.size() == 1);
  const std::string advice = std::string("; measure with:\n    ") + command + '\n';
  Platform platform = measured_platform(1);
  platform.overlap_efficiency = 0.8;
  const std::string core = "1 kernel estimated as on a CPU core of ours, no other device";
  CHECK(assumptions(plan, platform, Profile{}, typed) == core + advice);
  platform.device = "Card";
  platform.kernels = KernelRates{.source = "by hand"};
  // One rank alone times the kernels of cards.
  const std::string alone = "; measure with:\n    cnnplan profile ";
  const std::string card = alone + "nets/small.json --ranks 2 --batch 4 --input 16x16\n";
  const std::string rates = "1 kernel estimated from rates of Card (by hand)";
  CHECK(assumptions(plan, platform, Profile{}, typed) == rates + card);
  // A profile can estimate the kernels whose kinds it has.
  KernelSpec spec;
  set_estimated(plan, {spec});
  const std::string timed = "1 kernel estimated from timed ones of their kind";
  CHECK(assumptions(plan, platform, profile_of(2), typed) == timed + card);
  // The sizes of updates depend on the plan, so a profile of the network would not have them.
  Profile updates = profile_of(2);
  const KernelSpec update{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  updates.kernels[update] = updates.kernels.begin()->second;
  set_estimated(plan, {update});
  CHECK(assumptions(plan, platform, updates, typed) ==
        timed + alone + "--missing-from plan.json\n");
  set_estimated(plan, {spec});
  // Kernels of sample blocks depend on the plan, too.
  plan.sample_blocks = 4;
  CHECK(assumptions(plan, platform, Profile{}, typed) ==
        rates + alone + "--missing-from plan.json\n");
  plan.sample_blocks = 1;
  // Kernels that run at the same time depend on the plan. They need cores, unless the rank has a
  // card.
  plan.multigrid = {{.concurrency = 4}};
  CHECK(assumptions(plan, platform, Profile{}, typed) ==
        rates + alone + "--missing-from plan.json\n");
  Platform cores = platform;
  cores.kernels.reset();
  CHECK(assumptions(plan, cores, Profile{}, typed) ==
        core +
            "; measure with:\n    mpirun -n 2 --map-by slot:PE=4 cnnplan profile --missing-from "
            "plan.json\n");
  plan.multigrid.clear();
  KernelSpec backward = spec;
  backward.phase = KernelPhase::backward_data;
  set_estimated(plan, {spec, backward});
  CHECK(assumptions(plan, platform, profile_of(2), typed) == timed + ", " + rates + card);
  spec.precision = Precision::bf16;
  set_estimated(plan, {spec});
  CHECK(assumptions(plan, platform, profile_of(2), typed) == rates + card);
  spec = {.algorithm = KernelAlgorithm::winograd};
  set_estimated(plan, {spec, spec});
  CHECK(assumptions(plan, platform, profile_of(2), typed)
            .starts_with("2 kernels estimated from rates"));
}

TEST_CASE(
    "assumptions: kernels at the same time are estimated from kernels that were timed alone") {
  Plan plan = small_plan();
  Platform platform = measured_platform(1);
  platform.device = "Card";
  platform.kernels = KernelRates{.source = "by hand"};
  const auto note_of = [&](const KernelSpec& estimated, const KernelSpec& timed) {
    Profile profile = profile_of(2);
    profile.kernels = {{timed, {.repetitions = 10}}};
    set_estimated(plan, {estimated});
    const std::string note = kernels_note(plan, platform, profile, typed);
    return note.substr(0, note.find(';'));
  };
  const std::string from_timed = "1 kernel estimated from timed ones of their kind";
  const std::string from_rates = "1 kernel estimated from rates of Card (by hand)";
  const KernelSpec single;
  const KernelSpec four{.concurrency = 4};
  CHECK(note_of(four, single) == from_timed);
  const KernelSpec half{.precision = Precision::bf16};
  CHECK(note_of({.precision = Precision::bf16, .concurrency = 4}, half) == from_timed);
  CHECK(note_of({.precision = Precision::bf16, .concurrency = 4}, single) == from_rates);
  CHECK(note_of(four, half) == from_rates);
  CHECK(note_of({.algorithm = KernelAlgorithm::winograd, .concurrency = 4}, single) == from_rates);
  // Times of kernels that share the device cannot estimate other kernels.
  CHECK(note_of(single, four) == from_rates);
  CHECK(note_of({.in = {{2, 1, 1, 1, 1}}, .concurrency = 4}, four) == from_rates);
}

TEST_CASE("idle_note: ranks without a part of an output") {
  Plan plan = small_plan();
  plan.ranks = 8;
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n4r2");
  CHECK(idle_note(plan).empty());
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n8");
  CHECK(idle_note(plan) == "idle: up to 4 of 8 ranks, in 6 layers that cannot be split so far\n");
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n4r2");
  plan.layers[LayerIndex(4)].mesh = parse_mesh("n2h4");
  CHECK(idle_note(plan) == "idle: up to 6 of 8 ranks, in 1 layer that cannot be split so far\n");
}

TEST_CASE("other_splits_note: layers that cannot take the mesh are named, at most three") {
  Plan plan = small_plan();
  const Mesh asked = parse_mesh("h2");
  for (LayerPlan& layer : plan.layers) layer.mesh = asked;
  CHECK(other_splits_note(plan, asked).empty());
  plan.layers[LayerIndex(4)].mesh = parse_mesh("n2");
  CHECK(other_splits_note(plan, asked) == "1 layer cannot take h2: fc (n2)\n");
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("r2");
  CHECK(other_splits_note(plan, asked) ==
        "6 layers cannot take h2: data (r2), conv1 (r2), bn1 (r2) and 3 more\n");
}

TEST_CASE("assumptions: kernels timed with another number of busy ranks on a node") {
  CHECK(assumptions(measured_plan(), measured_platform(1), profile_of(1), typed) ==
        std::string(
            "kernels timed with 1 busy rank on a node, the plan has 2; time them with:\n    ") +
            command + " -o profile-2.json\nthen solve with --profile profile-2.json\n");
  // With 4 ranks on 2 nodes, 2 ranks share a node.
  Plan plan = measured_plan();
  plan.ranks = 4;
  CHECK(assumptions(plan, measured_platform(2), profile_of(2), typed).empty());
  CHECK_FALSE(assumptions(plan, measured_platform(2), profile_of(4), typed).empty());
  // If there is only one level, all ranks are on one node. Estimated kernels are measured there,
  // too.
  plan = small_plan();
  plan.ranks = 3;
  CHECK(
      kernels_note(plan, default_platform(2), profile_of(2), typed) ==
      "kernels timed with 2 busy ranks on a node, the plan has 3; time them with:\n    mpirun -n 3 "
      "cnnplan profile nets/small.json --ranks 3 --batch 4 --input 16x16 -o profile-3.json\nthen "
      "solve with --profile profile-3.json");
  // If no level is a node, the innermost level counts as one.
  Platform platform = measured_platform(1);
  platform.levels[1].name = "board";
  CHECK(assumptions(measured_plan(), platform, profile_of(1), typed).empty());
}

}  // namespace cnnplan
