// Reads the placement from the plan, and from the platform if there is one.
#include "planner/launch/placement.hpp"

#include <algorithm>
#include <map>

#include "planner/base/error.hpp"
#include "planner/kernel/device_text.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {
namespace {

// Older plans without a profile do not say their device. They have the device of the platform.
DeviceKind device_kind_of(const Plan& plan, const std::optional<Platform>& platform) {
  if (plan.device_kind) return *plan.device_kind;
  return platform ? device_kind_of(*platform, Profile{}) : DeviceKind::cpu;
}

int threads_per_rank(const Plan& plan, const std::optional<Platform>& platform) {
  return threads_in(plan.device.empty() && platform ? platform->device : plan.device);
}

// Returns the most ranks, up to those of the plan, that fill nodes.
int fewer_ranks(const Plan& plan, int ranks_per_node) {
  return plan.ranks / ranks_per_node * ranks_per_node;
}

[[noreturn]] void refuse_ranks(const Plan& plan, int ranks_per_node, const std::string& file) {
  const int fewer = fewer_ranks(plan, ranks_per_node);
  throw InputError({.file = file,
                    .pointer = "/ranks",
                    .value = std::to_string(plan.ranks),
                    .allowed = "a multiple of " + std::to_string(ranks_per_node) +
                               ", the ranks of a node for which the plan was made; solve with "
                               "--ranks " +
                               std::to_string(fewer) + " or --ranks " +
                               std::to_string(fewer + ranks_per_node)});
}

std::string and_text(const std::string& letters) {
  std::string text;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i > 0) text += i + 1 == letters.size() ? " and " : ", ";
    text += letters[i];
  }
  return text;
}

// Neighbours along the axis share a node if nodes hold whole lines of ranks along it.
bool is_inside_nodes(const Mesh& mesh, const MeshAxis& axis, int ranks_per_node) {
  return ranks_per_node % (mesh.stride(axis.axis) * axis.size) == 0;
}

// Returns the mesh that most layers have. @pre the plan has a layer
Mesh commonest_mesh(const Plan& plan) {
  std::map<Mesh, int> layers;
  for (const LayerPlan& layer : plan.layers) ++layers[layer.mesh];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(layers.begin(), layers.end(), fewer)->first;
}

}  // namespace

Placement placement_of(const Plan& plan,
                       const std::optional<Platform>& platform,
                       const std::string& plan_file) {
  const int ranks_per_node =
      platform ? ranks_on_a_node(*platform, plan.ranks) : ranks_on_a_node(plan);
  if (plan.ranks % ranks_per_node != 0) refuse_ranks(plan, ranks_per_node, plan_file);
  const bool gpus = device_kind_of(plan, platform) == DeviceKind::gpu;
  const int threads = gpus ? 1 : threads_per_rank(plan, platform);
  return {.ranks = plan.ranks,
          .ranks_per_node = ranks_per_node,
          .threads_per_rank = threads,
          .cores_per_rank = gpus ? cores_of_gpu : threads * most_lanes(plan),
          .gpus_per_node = gpus ? ranks_per_node : 0};
}

std::string unfilled_nodes_text(const Plan& plan) {
  const int ranks_per_node = ranks_on_a_node(plan);
  if (plan.ranks % ranks_per_node == 0) return {};
  const int fewer = fewer_ranks(plan, ranks_per_node);
  return std::to_string(plan.ranks) + " ranks do not fill nodes of " +
         std::to_string(ranks_per_node) + "; cnnplan launch takes " + std::to_string(fewer) +
         " or " + std::to_string(fewer + ranks_per_node);
}

std::string neighbours_text(const Plan& plan, int ranks_per_node) {
  if (plan.ranks == 1) return "One rank computes all.";
  if (plan.ranks == ranks_per_node) return "All ranks share a node.";
  const Mesh mesh = commonest_mesh(plan);
  std::string inside;
  std::string across;
  for (const MeshAxis& axis : mesh.axes()) {
    (is_inside_nodes(mesh, axis, ranks_per_node) ? inside : across) += to_char(axis.axis);
  }
  const std::string layers = "Most layers are split as " + to_text(mesh) + ". Neighbours along ";
  if (inside.empty()) return layers + and_text(across) + " may be on different nodes.";
  return layers + and_text(inside) + " share a node, and neighbours along " + and_text(across) +
         " may be on different nodes.";
}

}  // namespace cnnplan
