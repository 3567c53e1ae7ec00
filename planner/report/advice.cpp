// Commands as a user types them, and the notes that name them.
#include "planner/report/advice.hpp"

#include <algorithm>
#include <set>

#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// "512x512", or "64x512x512" where there is a depth.
std::string input_size(const Network& network) {
  const auto is_input = [](const Layer& layer) {
    return std::holds_alternative<Input>(layer.parameters);
  };
  const auto found = std::find_if(network.layers().begin(), network.layers().end(), is_input);
  const auto& size = std::get<Input>(found->parameters).size;
  return (size[0] == 1 ? "" : std::to_string(size[0]) + 'x') + std::to_string(size[1]) + 'x' +
         std::to_string(size[2]);
}

// Of the level "node", the innermost one where no level is called so; all where there is no other
// level.
int ranks_on_node(const Platform& platform, int ranks) {
  const auto is_node = [](const Level& level) { return level.name == "node"; };
  const auto found = std::find_if(platform.levels.begin(), platform.levels.end(), is_node);
  const Level& node = found == platform.levels.end() ? platform.levels.front() : *found;
  return &node == &platform.levels.back() ? ranks : std::min(ranks, node.ranks_per_group);
}

bool is_nominal(const Platform& platform) {
  return !platform.measured && platform.name != Platform{}.name;
}

std::string links_note(const Platform& platform, int ranks) {
  const int known = platform.levels.back().ranks_per_group;
  const std::string few = std::to_string(known) + " ranks, the plan has " + std::to_string(ranks);
  const std::string advice = "; measure them with: " + links_advice(ranks) + '\n';
  if (is_nominal(platform)) {
    return "links: nominal figures of " + platform.name +
           (known < ranks ? ", of " + few : ", not measured") + advice;
  }
  if (!platform.measured) return "links: assumed figures" + advice;
  return known >= ranks ? "" : "links: measured with " + few + advice;
}

// Kind, phase, algorithm and precision: kernels are estimated from timed ones that share all four.
// Of the text of a kernel its first word and its last two.
std::string family_of(const std::string& kernel) {
  const std::size_t algorithm = kernel.rfind(' ');
  if (algorithm == std::string::npos || algorithm == 0) return kernel;
  const std::size_t precision = kernel.rfind(' ', algorithm - 1);
  if (precision == std::string::npos) return kernel;
  return kernel.substr(0, kernel.find(' ')) + kernel.substr(precision);
}

// What estimates rest on where no kernel of the family was timed.
std::string rates_text(const Platform& platform) {
  return platform.kernels
             ? " from rates of " + platform.device + " (" + platform.kernels->source + ')'
             : " as on a CPU core of ours, no other device";
}

// What is timed for a network leaves updates only, whose sizes follow from the whole plan.
std::string missing_advice(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed) {
  const int lanes = most_lanes(plan);
  const bool on_cores = lanes > 1 && !platform.kernels && !profile.fingerprint.discrete;
  std::string command = "mpirun -n " + std::to_string(ranks_on_node(platform, plan.ranks)) +
                        (on_cores ? " --map-by slot:PE=" + std::to_string(lanes) : "") +
                        " cnnplan profile --missing-from " +
                        (typed.plan_file.empty() ? "plan.json" : typed.plan_file);
  if (!typed.profile_file.empty()) command += " -o " + typed.profile_file;
  return command;
}

std::string estimates_note(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed) {
  const std::vector<std::string>& kernels = plan.prediction.estimated_kernels;
  if (kernels.empty()) return "";
  std::set<std::string> timed;
  for (const auto& [spec, timing] : profile.kernels) timed.insert(family_of(to_text(spec)));
  const auto near = static_cast<std::size_t>(
      std::count_if(kernels.begin(), kernels.end(), [&timed](const std::string& kernel) {
        return timed.contains(family_of(kernel));
      }));
  std::string note;
  if (near > 0) note = counted(near, "kernel") + " estimated from timed ones of their kind";
  if (near < kernels.size()) {
    note += (note.empty() ? "" : ", ") + counted(kernels.size() - near, "kernel") + " estimated" +
            rates_text(platform);
  }
  const bool all_updates =
      std::all_of(kernels.begin(), kernels.end(), [](const std::string& kernel) {
        return kernel.starts_with(to_text(KernelKind::sgd));
      });
  const bool is_rest = (all_updates && near == kernels.size()) || has_kernels_of_plans_only(plan);
  return note + "; measure with: " +
         (is_rest ? missing_advice(plan, platform, profile, typed) : profile_advice(plan, typed));
}

// Ranks that have no part of the layer's output.
int idle_ranks(const Plan& plan, LayerIndex layer) {
  const Shape output = plan.network.output_shape(layer, plan.batch);
  std::int64_t busy = 1;
  for (const MeshAxis& axis : plan.layers[static_cast<std::size_t>(layer)].mesh.axes()) {
    const std::int64_t parts = axis.axis == Axis::r || axis.axis == Axis::l
                                   ? axis.size
                                   : output.extents[static_cast<std::size_t>(axis.axis)];
    busy *= std::min<std::int64_t>(axis.size, parts);
  }
  return plan.ranks - static_cast<int>(busy);
}

// Times of another number of busy ranks go into a file of their own. Discrete devices do not
// disturb each other.
std::string busy_ranks_note(const Plan& plan,
                            const Platform& platform,
                            const Profile& profile,
                            TypedOptions typed) {
  const int busy = profile.fingerprint.busy_ranks;
  const int on_node = ranks_on_node(platform, plan.ranks);
  const bool alike = busy == on_node || profile.fingerprint.discrete;
  if (profile.kernels.empty() || alike) return "";
  typed.profile_file = "profile-" + std::to_string(on_node) + ".json";
  return "kernels timed with " + counted(static_cast<std::size_t>(busy), "busy rank") +
         " on a node, the plan has " + std::to_string(on_node) +
         "; time them with: " + profile_advice(plan, typed) + "; then solve with --profile " +
         typed.profile_file;
}

}  // namespace

bool has_kernels_of_plans_only(const Plan& plan) {
  const bool has_interiors =
      std::any_of(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
        return layer.halo == HaloMethod::interior_strips;
      });
  return plan.sample_blocks > 1 || most_lanes(plan) > 1 || has_interiors;
}

std::string profile_advice(const Plan& plan, const TypedOptions& typed) {
  const std::string ranks = std::to_string(plan.ranks);
  std::string command = "mpirun -n " + ranks + " cnnplan profile " + typed.network_file +
                        " --ranks " + ranks + " --batch " + std::to_string(plan.batch) +
                        " --input " + input_size(plan.network);
  if (plan.precision != Precision::fp32) {
    command += " --precision " + std::string(to_text(plan.precision));
  }
  if (!typed.uniform.empty()) command += " --uniform " + typed.uniform;
  if (!typed.profile_file.empty()) command += " -o " + typed.profile_file;
  return command;
}

std::string links_advice(int ranks) {
  return "mpirun -n " + std::to_string(ranks) + " cnnplan profile --links";
}

std::string kernels_note(const Plan& plan,
                         const Platform& platform,
                         const Profile& profile,
                         const TypedOptions& typed) {
  const std::string busy = busy_ranks_note(plan, platform, profile, typed);
  return busy.empty() ? estimates_note(plan, platform, profile, typed) : busy;
}

std::string idle_note(const Plan& plan) {
  std::size_t layers = 0;
  int most = 0;
  for (LayerIndex layer = 0; layer < plan.network.layer_count(); ++layer) {
    const int idle = idle_ranks(plan, layer);
    layers += idle > 0 ? 1 : 0;
    most = std::max(most, idle);
  }
  if (layers == 0) return "";
  return "idle: up to " + std::to_string(most) + " of " + std::to_string(plan.ranks) +
         " ranks, in " + counted(layers, "layer") + " that cannot be split so far\n";
}

std::string assumptions(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const TypedOptions& typed) {
  const std::string kernels = kernels_note(plan, platform, profile, typed);
  return links_note(platform, plan.ranks) + kernels + (kernels.empty() ? "" : "\n");
}

}  // namespace cnnplan
