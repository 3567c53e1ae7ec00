// Writes the notes on what a prediction assumes, and the commands that measure it.
#include "planner/report/advice.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/message.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/kernel/kernel_family.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/plan/planned_layers.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/report/table.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

// Puts a command on a line of its own, as message_text wants it.
std::string to_copy(const std::string& command) {
  return std::string(command_line) + command;
}

// Returns text such as "512x512", or "64x512x512" for inputs with a depth.
std::string input_size(const Network& network) {
  const auto is_input = [](const Layer& layer) {
    return std::holds_alternative<Input>(layer.parameters);
  };
  const auto found = std::find_if(network.layers().begin(), network.layers().end(), is_input);
  const auto& size = std::get<Input>(found->parameters).size;
  return (size[0] == 1 ? "" : std::to_string(size[0]) + 'x') + std::to_string(size[1]) + 'x' +
         std::to_string(size[2]);
}

bool is_nominal(const Platform& platform) {
  return !platform.measured && platform.name != Platform{}.name;
}

std::string links_note(const Platform& platform, int ranks) {
  const int known = platform.levels.back().ranks_per_group;
  const std::string few = std::to_string(known) + " ranks, the plan has " + std::to_string(ranks);
  const std::string advice = "; measure them with:" + to_copy(links_advice(ranks)) + '\n';
  if (is_nominal(platform)) {
    return "links: nominal figures of " + platform.name +
           (known < ranks ? ", of " + few : ", not measured") + advice;
  }
  if (!platform.measured) return "links: assumed figures" + advice;
  return known >= ranks ? "" : "links: measured with " + few + advice;
}

// Returns a line if kernels hide no communication to speak of where one would expect it.
std::string overlap_note(const Plan& plan, const Platform& platform, const Profile& profile) {
  constexpr double little = 0.05;
  const double hidden = platform.overlap_efficiency;
  const bool is_expected = plan.overlap || device_kind_of(platform, profile) == DeviceKind::gpu;
  if (plan.ranks == 1 || hidden >= little || !is_expected) return "";
  const std::string share = hidden == 0.0 ? "no" : "only " + percent(hidden) + " of";
  return "overlap: " + share + " communication is hidden, also with data parallelism; " +
         "overlap_efficiency of platform " + platform.name + " is " + significant(hidden, 2) +
         (platform.measured ? ", as measured" : ", not measured") + '\n';
}

// Returns the families whose kernels are estimated from timed kernels.
std::set<KernelFamily> timed_families(const Profile& profile) {
  std::set<KernelFamily> families;
  for (const auto& [spec, timing] : profile.kernels) {
    if (can_estimate_others(spec)) families.insert(family_of(spec));
  }
  return families;
}

// Names the rates from which kernels are estimated if no kernel of their family was timed.
std::string rates_text(const Platform& platform) {
  return platform.kernels
             ? " from rates of " + platform.device + " (" + platform.kernels->source + ')'
             : " as on a CPU core of ours, no other device";
}

// Begins a command that times kernels. Ranks on cores of a node slow each other, so as many run as
// the plan has there. One rank alone is enough for devices, which do not slow each other.
std::string profiling(DeviceKind device, int ranks_on_node, int lanes) {
  if (device == DeviceKind::gpu) return "cnnplan profile";
  return "mpirun -n " + std::to_string(ranks_on_node) +
         (lanes > 1 ? " --map-by slot:PE=" + std::to_string(lanes) : "") + " cnnplan profile";
}

std::string profiling(const Plan& plan,
                      const Platform& platform,
                      const Profile& profile,
                      int lanes) {
  return profiling(device_kind_of(platform, profile), ranks_on_a_node(platform, plan.ranks), lanes);
}

// Returns the command that times the kernels of the plan's file that the profile lacks.
std::string missing_advice(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed) {
  std::string command = profiling(plan, platform, profile, most_lanes(plan)) + " --missing-from " +
                        (typed.plan_file.empty() ? "plan.json" : shell_word(typed.plan_file));
  if (!typed.profile_file.empty()) command += " -o " + shell_word(typed.profile_file);
  return command;
}

// Holds the numbers of estimated kernels, by the source of their estimate.
struct Estimates {
  std::int64_t from_timed = 0;
  std::int64_t from_rates = 0;
  bool are_updates = true;  // all of them are kernels that update weights
};

Estimates estimates_of(const Prediction& prediction, const Profile& profile) {
  const std::set<KernelFamily> timed = timed_families(profile);
  Estimates estimates;
  for (const auto& [family, kernels] : prediction.estimated_families) {
    (timed.contains(family) ? estimates.from_timed : estimates.from_rates) += kernels;
    estimates.are_updates = estimates.are_updates && family.kind == KernelKind::sgd;
  }
  return estimates;
}

// Timing a network without its plan leaves out updates, because their sizes follow from the whole
// plan. If only updates are missing, or kernels that only plans have, the note names the plan's
// file.
std::string estimates_note(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed) {
  if (plan.prediction.estimated_families.empty()) return "";
  const Estimates estimates = estimates_of(plan.prediction, profile);
  std::string note;
  if (estimates.from_timed > 0) {
    note = counted(estimates.from_timed, "kernel") + " estimated from timed ones of their kind";
  }
  if (estimates.from_rates > 0) {
    note += (note.empty() ? "" : ", ") + counted(estimates.from_rates, "kernel") + " estimated" +
            rates_text(platform);
  }
  // The profiler refuses networks with such layers.
  if (planned_only_layer(plan.network)) return note;
  const bool is_rest =
      (estimates.are_updates && estimates.from_rates == 0) || has_kernels_of_plans_only(plan);
  return note + "; measure with:" +
         to_copy(is_rest ? missing_advice(plan, platform, profile, typed)
                         : profile_advice(plan, platform, profile, typed));
}

// Returns the number of ranks that have no part of the layer's output.
int idle_ranks(const Plan& plan, LayerIndex layer) {
  const Shape output = plan.network.output_shape(layer, plan.batch);
  std::int64_t busy = 1;
  for (const MeshAxis& axis : plan.layers[layer].mesh.axes()) {
    const std::int64_t parts = axis.axis == Axis::r || axis.axis == Axis::l
                                   ? axis.size
                                   : output.extents[static_cast<std::size_t>(axis.axis)];
    busy *= std::min<std::int64_t>(axis.size, parts);
  }
  return plan.ranks - static_cast<int>(busy);
}

// Returns a note if kernels were timed with another number of busy ranks on a node. The new times
// go into a profile of their own. Discrete devices need no note, because they do not slow each
// other.
std::string busy_ranks_note(const Plan& plan,
                            const Platform& platform,
                            const Profile& profile,
                            TypedOptions typed) {
  const int busy = profile.fingerprint.busy_ranks;
  const int on_node = ranks_on_a_node(platform, plan.ranks);
  const bool alike = busy == on_node || profile.fingerprint.discrete;
  if (profile.kernels.empty() || alike) return "";
  typed.profile_file = "profile-" + std::to_string(on_node) + ".json";
  return "kernels timed with " + counted(busy, "busy rank") + " on a node, the plan has " +
         std::to_string(on_node) +
         "; time them with:" + to_copy(profile_advice(plan, platform, profile, typed)) +
         "\nthen solve with --profile " + typed.profile_file;
}

}  // namespace

bool has_kernels_of_plans_only(const Plan& plan) {
  const bool has_interiors =
      std::any_of(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
        return layer.halo == HaloMethod::interior_strips;
      });
  return plan.sample_blocks > 1 || most_lanes(plan) > 1 || has_interiors;
}

std::string profile_advice(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed) {
  std::string command = profiling(plan, platform, profile, 1) + ' ' +
                        shell_word(typed.network_file) + " --ranks " + std::to_string(plan.ranks) +
                        " --batch " + std::to_string(plan.batch) + " --input " +
                        input_size(plan.network);
  if (plan.precision != Precision::fp32) {
    command += " --precision " + std::string(to_text(plan.precision));
  }
  if (!typed.uniform.empty()) command += " --uniform " + shell_word(typed.uniform);
  if (!typed.profile_file.empty()) command += " -o " + shell_word(typed.profile_file);
  return command;
}

// Where the device is not known, the words are those for a GPU, which are right on one rank of any
// device.
std::string profile_start(const Plan& plan) {
  return profiling(
      plan.device_kind.value_or(DeviceKind::gpu), ranks_on_a_node(plan), most_lanes(plan));
}

std::string missing_command(const std::string& start, const std::string& plan_file) {
  const bool is_known = !plan_file.empty() && !is_stream(plan_file);
  return start + (is_known ? " --missing-from " + shell_word(plan_file) : "");
}

std::string links_advice(int ranks) {
  return "mpirun -n " + std::to_string(ranks) + " cnnplan profile --links" +
         (ranks == 1 ? " --device-only" : "");
}

std::string kernels_note(const Plan& plan,
                         const Platform& platform,
                         const Profile& profile,
                         const TypedOptions& typed) {
  const std::string busy = busy_ranks_note(plan, platform, profile, typed);
  return busy.empty() ? estimates_note(plan, platform, profile, typed) : busy;
}

std::string idle_note(const Plan& plan) {
  std::int64_t layers = 0;
  int most = 0;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    const int idle = idle_ranks(plan, layer);
    layers += idle > 0 ? 1 : 0;
    most = std::max(most, idle);
  }
  if (layers == 0) return "";
  return "idle: up to " + std::to_string(most) + " of " + std::to_string(plan.ranks) +
         " ranks, in " + counted(layers, "layer") + " that cannot be split so far\n";
}

std::string other_splits_note(const Plan& plan, const Mesh& asked) {
  constexpr std::size_t most_names = 3;
  std::vector<std::string> others;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    const Mesh& mesh = plan.layers[layer].mesh;
    if (mesh == asked) continue;
    others.push_back(plan.network.layer(layer).name + " (" + to_text(mesh) + ')');
  }
  if (others.empty()) return "";
  const std::size_t count = others.size();
  others.resize(std::min(count, most_names));
  std::string text = counted(static_cast<std::int64_t>(count), "layer") + " cannot take " +
                     to_text(asked) + ": " + joined(others);
  if (count > most_names) text += " and " + std::to_string(count - most_names) + " more";
  return text + '\n';
}

std::string assumptions(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const TypedOptions& typed) {
  const std::string kernels = kernels_note(plan, platform, profile, typed);
  return links_note(platform, plan.ranks) + overlap_note(plan, platform, profile) + kernels +
         (kernels.empty() ? "" : "\n");
}

}  // namespace cnnplan
