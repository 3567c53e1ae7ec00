// Chooses by price how layers gather inputs that the ranks of a node need alike.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/rank_boxes.hpp"

namespace cnnplan {

// Holds a gather method with the parts that the ranks of each node gather first.
struct NodeParts {
  GatherMethod method = GatherMethod::direct;
  RankBoxes parts;
};

// Compares the gather methods of one layer.
class GatherChoice {
 public:
  // The plan gives its nodes and its precision. Keeps a reference to the platform.
  GatherChoice(const Platform& platform, const Plan& plan);

  // Returns the methods that are possible for these needed blocks, without direct. Their parts are
  // tabulated.
  std::vector<NodeParts> methods(const RankBoxes& needed, RankBoxes::Tables& tables) const;
  // Returns the fastest of `methods` by the prices of the first and the last rank of the first and
  // of the last node. Returns null if the layer may not gather node by node, and unless the method
  // is faster than direct. @pre methods are those of `needed`
  const NodeParts* fastest(const std::vector<NodeParts>& methods,
                           const LayerTraits& reader,
                           const RankBoxes& owned,
                           const RankBoxes& needed) const;
  // Returns the seconds of one rank in both transfers of a gather node by node.
  double seconds(const RankBoxes& owned,
                 const RankBoxes& parts,
                 const RankBoxes& needed,
                 int rank) const;

 private:
  double transfer_s(const RankBoxes& from, const RankBoxes& to, int rank, int ranks_per_node) const;

  const Platform& platform_;
  int ranks_per_node_;
  bool has_nodes_;
  std::int64_t element_bytes_;
};

// Sets the fastest gather method of each layer. Layers of chains that multigrid runs, layers that
// compute their interior first, and layers whose input is loaded with its halo keep direct.
Plan with_gathers(Plan plan, const Platform& platform);

}  // namespace cnnplan
