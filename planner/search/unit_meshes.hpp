// The meshes that every search unit may take, and the plans that follow from a choice.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/model/plan.hpp"
#include "planner/search/search_units.hpp"

namespace cnnplan {

struct UnitMeshes {
  SearchUnit unit;
  std::vector<Mesh> meshes;  // the most sample-parallel first
  // By mesh, whether the unit's outputs are computed again in backpropagation, as far as that takes
  // no more than the input that is kept anyway (recomputes_cheaply). Empty: nowhere.
  std::vector<bool> recompute{};

  bool recomputes(std::size_t choice) const { return !recompute.empty() && recompute[choice]; }
};

// Batch norms, which keep their input in any case, but for those that end a residual block.
bool recomputes_cheaply(const Network& network, LayerIndex layer);
// `plan` with all of these layers computed again.
Plan recomputed(Plan plan);

struct MeshChoices {
  std::vector<UnitMeshes> units;
  std::int64_t pruned = 0;  // factorisations that would leave ranks without work
};

// Over the axes n d h w of every unit's output (with r where nothing else fits), and r alone.
MeshChoices mesh_choices(const Plan& plan);
// The same, each mesh a second time behind them where the unit has outputs to compute again.
MeshChoices mesh_choices_with_recompute(const Plan& plan);

// `blank` with `mesh` for every layer.
Plan all_on(const Plan& blank, const Mesh& mesh);
// `blank` with mesh choices[unit] for every unit.
Plan plan_of(const Plan& blank, const MeshChoices& choices, const std::vector<int>& assignment);
// By unit, the index of `mesh` among its choices, or 0 where it is none of them.
std::vector<int> mostly_on(const MeshChoices& choices, const Mesh& mesh);
// `blank` with `mesh` for every unit that may take it, and the first mesh of the others. Where no
// unit may, `mesh` for all: some ranks then own nothing.
Plan mostly_on(const Plan& blank, const MeshChoices& choices, const Mesh& mesh);
// The meshes that any unit may take, each once.
std::vector<Mesh> all_meshes(const MeshChoices& choices);
// Plans mostly on each of all_meshes, so that every unit takes each of its meshes at least once:
// whoever profiles their kernels has profiled what any plan needs.
std::vector<Plan> covering_plans(const Plan& blank);

}  // namespace cnnplan
