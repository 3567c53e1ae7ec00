// What layers cost on a mesh, transfers left out.
#pragma once

#include <map>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/search/unit_meshes.hpp"

namespace cnnplan {

// By layer. Kernels, statistics and the reduction of every unit's gradients alone.
using LayerCosts = std::vector<double>;

struct MeshCosts {
  LayerCosts slowest;             // seconds
  LayerCosts kept_bytes;          // on the rank where they are most
  std::vector<LayerCosts> least;  // seconds of each of sample_ranks(ranks), as in PricedNetwork
};

using CostsByMesh = std::map<Mesh, MeshCosts>;

// Of every mesh that a unit may take.
CostsByMesh costs_by_mesh(const Plan& plan, const MeshChoices& choices, const PriceList& prices);
// Seconds of all updates. The same for every plan of a network: it updates bucket by bucket,
// whatever groups reduce them.
double updates_s(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
