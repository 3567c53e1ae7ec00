// A strategy: how every layer is split, and what the planner expects of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/checked.hpp"
#include "planner/base/input_file.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_family.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/network/halo_method.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/network/network.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// The largest values of a plan.
inline constexpr int max_ranks = 1048576;
inline constexpr std::int64_t max_batch = 2147483647;

// How a layer is split over the ranks.
struct Split {
  Mesh mesh;
  // Where mixes_channels and the mesh has an axis c.
  ChannelAlgorithm channel_algorithm = ChannelAlgorithm::stationary_y;
  auto operator<=>(const Split&) const = default;
};
// "n2c4", "c4 stationary_x"
std::string to_text(const Split& split);

struct LayerPlan {
  Mesh mesh;
  BatchNormStatistics statistics = BatchNormStatistics::spatial;        // batch norm only
  std::map<KernelPhase, KernelAlgorithm> algorithms;                    // absent: direct
  ChannelAlgorithm channel_algorithm = ChannelAlgorithm::stationary_y;  // as in Split
  // The output is not kept for backpropagation but computed again there from the inputs; see
  // can_recompute. What is fused behind the layer comes with it.
  bool recompute = false;
  int stage = 0;  // the coordinate along axis l of the ranks that have the layer
  HaloMethod halo = HaloMethod::exchange_first;  // see has_halo_method

  Split split() const { return {.mesh = mesh, .channel_algorithm = channel_algorithm}; }
  void set(const Split& split) {
    mesh = split.mesh;
    channel_algorithm = split.channel_algorithm;
  }
  bool operator==(const LayerPlan&) const = default;
};
// True where the same ranks have the same blocks of equal tensors.
inline bool same_ranks(const LayerPlan& a, const LayerPlan& b) {
  return a.mesh == b.mesh && a.stage == b.stage;
}
// True for layers that may have an axis l: those that keep nothing from step to step but
// parameters, and whose ranks do not report.
bool can_be_staged(const LayerParameters& parameters);

struct PredictedOperation {
  std::string id;
  double predicted_s = 0.0;  // mean over ranks, waiting included
  bool estimated = false;    // a kernel behind it was not in the profile
  // Of the step, on its critical path: all operations together take all of the step there.
  double critical_s = 0.0;
  bool operator==(const PredictedOperation&) const = default;
};

struct MemoryUse {
  std::int64_t parameters_bytes = 0;   // weights, gradients, momentum
  std::int64_t activations_bytes = 0;  // activations and error signals
  std::int64_t buffers_bytes = 0;      // transfer buffers, workspaces, statistics
  std::int64_t available_bytes = 0;
  // @throws InputError when the sum is not a 64-bit integer
  std::int64_t total_bytes() const {
    return checked_add(checked_add(parameters_bytes, activations_bytes), buffers_bytes);
  }
  bool operator==(const MemoryUse&) const = default;
};

// How layers that are split together are split in another plan.
struct UnitChoice {
  std::string layer;  // the one that chooses
  Split split;
  bool recompute = false;
  bool operator==(const UnitChoice&) const = default;
};

// How clear the choice of layers is that are split together.
struct UnitMargin {
  std::vector<std::string> layers;  // the one that chooses, then those that follow it
  std::string runner_up;            // the best other split; empty: there is none worth finding
  // How much longer all operations of Prediction::margins_sum take with it, when all other layers
  // take what is best then; negative: shorter. Memory left out.
  double margin_s = 0.0;
  // Where the best plan with it differs from this plan, these layers included. Empty where that
  // plan takes less in sum than this one, which was taken for another reason then, or differs in
  // too many layers.
  std::vector<UnitChoice> changes{};
  bool operator==(const UnitMargin&) const = default;
};

// Which operations are added up where plans are compared without waiting.
struct OperationSum {
  // -1: of every layer those of the rank that takes longest for it, and the gradients of every
  // layer reduced alone. Else those of this rank, without updates, and gradients as in one bucket.
  int rank = -1;
  bool operator==(const OperationSum&) const = default;
};
// "all operations", "all operations of rank 3"
std::string to_text(const OperationSum& sum);

// A step of a network with its chains split into so many partitions.
struct PartitionedStep {
  int partitions = 1;  // 1: in order
  double step_s = 0.0;
  bool fits = true;  // into the memory of its ranks, where that is known
  bool operator==(const PartitionedStep&) const = default;
};

// What multigrid gains with more partitions, on so many ranks for each as share out its samples.
struct Partitioning {
  std::string plan;      // the fastest by multigrid, e.g. "multigrid l8, coarsening 16, 2 levels"
  double step_s = 0.0;   // of that plan
  int sample_ranks = 1;  // for each partition
  // By number of partitions, ascending, in order first; coarsening and levels as in `plan`, as far
  // as that many partitions allow.
  std::vector<PartitionedStep> steps;
  bool operator==(const Partitioning&) const = default;
};

// How many of the estimated kernels belong to one family.
struct EstimatedFamily {
  KernelFamily family;
  std::int64_t kernels = 1;
  bool operator==(const EstimatedFamily&) const = default;
};

// Search results. Seconds per step; a value of 0 means "not known".
struct Prediction {
  double step_s = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
  double exposed_communication_s = 0.0;  // mean over ranks, waiting included
  double inference_s = 0.0;              // a mini-batch as `cnnexec --infer` runs it; 0: not known
  std::vector<PredictedOperation> operations;  // in schedule order of rank 0, then of others
  MemoryUse memory;                            // of the rank that needs most
  std::string baseline;                        // e.g. "n2" everywhere
  double baseline_s = 0.0;
  double bound_s = 0.0;   // no plan of the same choices is predicted faster
  double gap = 0.0;       // step_s / bound_s - 1
  std::string runner_up;  // e.g. "h2" everywhere
  double runner_up_s = 0.0;
  std::int64_t candidates = 0;  // candidates priced, over all layers
  std::int64_t pruned = 0;      // splits left out because some ranks would own nothing
  std::int64_t outpriced = 0;   // left out because every plan with them is slower than the baseline
  std::vector<std::string> estimated_kernels;       // their texts, ascending
  std::vector<EstimatedFamily> estimated_families;  // of these kernels, ascending
  std::vector<UnitMargin> margins;                  // empty: not known
  OperationSum margins_sum;                         // of which the plan is closest to the least
  Partitioning partitioning;  // without steps: multigrid was not allowed, or is nowhere
  bool operator==(const Prediction&) const = default;
};

// Sums of gradients of up to so many bytes that another algorithm makes than larger ones.
struct SizedAllreduce {
  std::int64_t max_bytes = 1;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
  bool operator==(const SizedAllreduce&) const = default;
};

struct Plan {
  Network network;
  int ranks = 1;
  std::int64_t batch = 1;  // global mini-batch
  Precision precision = Precision::fp32;
  std::string device;                // fingerprint text of the profile, empty when estimated
  std::vector<LayerPlan> layers;     // by layer index
  std::vector<Multigrid> multigrid;  // by chain; chains without run layer by layer
  AllreduceAlgorithm gradient_allreduce = AllreduceAlgorithm::ring;  // of gradient buckets
  std::vector<SizedAllreduce> small_gradient_allreduces;  // but for these, by size, ascending
  AllreduceAlgorithm statistics_allreduce = AllreduceAlgorithm::library;  // of batch norm and loss
  // Gradients are summed by a reduce-scatter, of the ring or the library: every rank keeps its
  // shard of the sums, updates that with the momentum of the shard alone, and gets the others'
  // weights by an allgather when the next step begins.
  bool sharded_update = false;
  // What is summed over samples is summed over so many equal blocks of the mini-batch, and these as
  // a binary tree: any number of ranks that divides it computes the same bits (sample_blocks.hpp).
  // 1: as the kernels do it.
  int sample_blocks = 1;
  int ranks_per_node = 1;  // consecutive ones, which `hierarchical` sums among first
  std::int64_t bucket_bytes = std::int64_t{32} << 20;
  bool overlap = false;  // halos and gradient reductions run beside kernels
  // Of convolutions that were profiled, by the text of their canonical kernel: as the library calls
  // what was timed. Backends that have several run just this one.
  std::map<std::string, std::string> implementations;
  Prediction prediction;
  std::vector<InputFile> inputs;
  bool operator==(const Plan&) const = default;
};

// True where a rank computes parts of sums over channels: stationary_x and stationary_w on a mesh
// with an axis c.
bool sums_over_channels(const Split& split);

// True for layers whose output a kernel without products of matrices computes from its inputs:
// batch norm, ReLU and add.
bool can_recompute(const LayerParameters& parameters);

// Every layer on `mesh`, with defaults. Not checked against the shapes.
Plan uniform_plan(const Network& network, std::int64_t batch, const Mesh& mesh);
// Whether a chain begins with the states that the step before ended with.
bool has_warm_start(const Plan& plan);
// Groups of a chain's layers whose kernels may run at the same time on a rank; 1: none.
int most_lanes(const Plan& plan);

// Of sums of gradients of so many bytes.
AllreduceAlgorithm gradient_allreduce_of(const Plan& plan, std::int64_t bytes);
// Of sums of any size, each once.
std::vector<AllreduceAlgorithm> gradient_allreduces(const Plan& plan);
// Sums of any size by one.
void set_gradient_allreduce(Plan& plan, AllreduceAlgorithm algorithm);

// The same training on one rank: batch norms with the statistics and sums over the blocks of
// `plan`; where there are such blocks, also with its device, implementations and algorithms, on
// which bits depend; all else by default.
Plan on_one_rank(const Plan& plan);

// @throws InputError (pointer into plan.json) unless every layer, also with the changes of a
// margin, has a mesh of exactly `ranks` ranks that this version runs, and the sizes are in range.
void validate(const Plan& plan, const std::string& file);

// JSON (schema cnnplan.plan/1). @throws InputError, IoError
Plan parse_plan(std::string_view json, const std::string& file);
Plan read_plan(const std::string& file);
std::string to_json(const Plan& plan);

}  // namespace cnnplan
