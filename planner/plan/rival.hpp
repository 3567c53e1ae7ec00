// Holds the plans that a plan is compared with, and how its choice fares if figures of the machine
// are wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/enumerators.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/plan/layer_plan.hpp"
#include "planner/plan/operation_part.hpp"
#include "planner/plan/sized_allreduce.hpp"

namespace cnnplan {

// Says why a plan is compared with the chosen one.
enum class RivalKind {
  data_parallel,  // every layer that can splits samples only
  next,           // the fastest other plan that the search scored, on as many ranks
};
std::string_view to_text(RivalKind kind);

template <>
struct Enumerators<RivalKind> {
  static constexpr std::array all{RivalKind::data_parallel, RivalKind::next};
};

// Says how many seconds of a step's critical path are operations of one part.
struct PartTime {
  OperationPart part = OperationPart::forward;
  double critical_s = 0.0;
  bool operator==(const PartTime&) const = default;
};

// Says how a rival runs layers that follow each other.
struct RivalLayers {
  LayerIndex first;  // the last one is before the first layer of the next entry
  Split split{};
  int stage = 0;           // as in LayerPlan
  bool recompute = false;  // as in LayerPlan
  HaloMethod halo = HaloMethod::exchange_first;
  GatherMethod gather = GatherMethod::direct;
  bool operator==(const RivalLayers&) const = default;
};

// Holds everything in which a rival may differ from its plan (rival_plan.hpp).
struct RivalSettings {
  std::vector<RivalLayers> layers{};  // ascending; the first entry begins with the first layer
  std::vector<Multigrid> multigrid{};
  AllreduceAlgorithm gradient_allreduce = AllreduceAlgorithm::ring;
  std::vector<SizedAllreduce> small_gradient_allreduces{};
  AllreduceAlgorithm statistics_allreduce = AllreduceAlgorithm::library;
  int ranks_per_node = 1;
  bool operator==(const RivalSettings&) const = default;
};

// Describes another plan for the same network and batch.
struct Rival {
  RivalKind kind = RivalKind::data_parallel;
  std::string plan;  // its name, e.g. "n64"
  int ranks = 1;     // at most as many as the plan has
  double step_s = 0.0;
  std::int64_t memory_bytes = 0;  // of the rank that needs most
  bool fits = true;               // into the memory of a rank; true also where this is not known
  // The number of gradients that rank 0, whose blocks are largest, sums with other ranks.
  std::int64_t reduced_gradients = 0;
  std::vector<PartTime> parts;    // of the critical path, each part once; they add up to step_s
  std::vector<double> draws_s{};  // its step in every draw; empty: not known
  std::optional<RivalSettings> settings{};  // missing in plan files of older versions
  bool operator==(const Rival&) const = default;
};

// Says by which factors a figure of the machine was multiplied in the draws. For kernels, the
// figure is the common error of all kernels of a kind. In addition, each kernel has an error of its
// own, which is not listed.
struct DrawnFigure {
  std::string figure;           // as --what-if names it: "kernel.convolution", "node.alpha_s"
  double error = 0.0;           // standard deviation of the factors' natural logarithms
  std::vector<double> factors;  // by draw
  bool operator==(const DrawnFigure&) const = default;
};

// Holds predictions of a plan for machines whose figures differ by plausible errors. Rivals are
// predicted for the same machines, so that errors that they share cancel.
struct Draws {
  std::vector<DrawnFigure> figures;
  std::vector<double> steps_s;  // of the plan, by draw; empty: not known
  bool operator==(const Draws&) const = default;
};

}  // namespace cnnplan
