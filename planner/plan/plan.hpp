// Holds a plan: how every layer is split, and what the planner predicts for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/checked.hpp"
#include "planner/base/input_file.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_family.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/layer_plan.hpp"
#include "planner/plan/operation_part.hpp"
#include "planner/plan/rival.hpp"
#include "planner/plan/sized_allreduce.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// These are the largest values that a plan may have.
inline constexpr int max_ranks = 1048576;
inline constexpr std::int64_t max_batch = 2147483647;

// True for layers that may have an axis l. Such layers have no state except parameters, and compute
// no loss.
bool can_be_staged(const LayerParameters& parameters);

// Holds what files say about an operation besides its id. The id is a label that nobody parses.
struct OperationPlace {
  std::optional<OperationPart> part{};  // missing in files of schema /1
  std::string layer{};                  // its name; empty where an operation serves a bucket
  std::optional<int> level{};           // of multigrid, 0 the finest; missing elsewhere
  bool operator==(const OperationPlace&) const = default;
};

// Holds the predicted time of the operation that several ranks know by one id.
struct PredictedOperation {
  std::string id;
  double predicted_s = 0.0;  // mean over ranks, waiting included
  bool estimated = false;    // as in Price, on at least one rank
  // The part of the step's critical path that this operation fills, 0 if it is not on the path. The
  // parts of all operations add up to the step.
  double critical_s = 0.0;
  OperationPlace place{};
  bool operator==(const PredictedOperation&) const = default;
};

// Holds the predicted memory of a rank, by purpose (planner/schedule/rank_memory.hpp).
struct MemoryUse {
  std::int64_t parameters_bytes = 0;   // weights and their copies, gradients, momentum
  std::int64_t activations_bytes = 0;  // the arena, samples and states of chains
  std::int64_t buffers_bytes = 0;      // staging, workspaces, labels, losses, running values
  std::int64_t available_bytes = 0;    // for a rank; 0: not known
  // The program and its libraries before they have any parameters; 0: the platform does not say.
  std::int64_t process_bytes = 0;
  // Returns the sum of parameters, activations, buffers and process_bytes. @throws InputError when
  // it is not a 64-bit integer
  std::int64_t total_bytes() const {
    return checked_add(checked_add(checked_add(parameters_bytes, activations_bytes), buffers_bytes),
                       process_bytes);
  }
  bool operator==(const MemoryUse&) const = default;
};

// Says how another plan splits layers that are split together.
struct UnitChoice {
  std::string layer;  // the first of these layers, which chooses the split
  Split split;
  bool recompute = false;
  bool operator==(const UnitChoice&) const = default;
};

// Says how clear the choice is for layers that are split together.
struct UnitMargin {
  std::vector<std::string> layers;  // the layer that chooses the split, then those that inherit it
  std::string runner_up;            // the best other split; empty: none was close enough to price
  // The runner-up adds this time to the operations of Prediction::margins_sum, if all other layers
  // take their best split with it. It ignores memory, and may be negative.
  double margin_s = 0.0;
  // The best plan with the runner-up differs from this plan in these choices, the choice of these
  // layers included. The list is empty if that plan takes less time in sum, or differs in too many
  // layers.
  std::vector<UnitChoice> changes{};
  bool operator==(const UnitMargin&) const = default;
};

// Says which operations are added up where plans are compared without waiting.
struct OperationSum {
  // With a rank, only its operations count. Updates are left out, and gradients count with the
  // least time that they add to a reduction. With -1, every layer counts on the rank that takes
  // longest for it, and its gradients count as a reduction of their own.
  int rank = -1;
  bool operator==(const OperationSum&) const = default;
};
// Returns "all operations" or "all operations of rank 3".
std::string to_text(const OperationSum& sum);

// Holds the predicted step of a network whose chains are split into `partitions`.
struct PartitionedStep {
  int partitions = 1;  // 1: in order
  double step_s = 0.0;
  bool fits = true;  // into the memory of its ranks; true also where this is not known
  bool operator==(const PartitionedStep&) const = default;
};

// Says what multigrid gains with more partitions. The ranks of a partition divide its samples.
struct Partitioning {
  std::string plan;      // the fastest by multigrid, e.g. "multigrid l8, coarsening 16, 2 levels"
  double step_s = 0.0;   // the step of that plan
  int sample_ranks = 1;  // the ranks of each partition
  // Steps are sorted by their number of partitions, and the first runs the layers in order.
  // Coarsening and levels are as close to the values of `plan` as the number of partitions allows.
  std::vector<PartitionedStep> steps;
  bool operator==(const Partitioning&) const = default;
};

// Says how many of the estimated kernels belong to one family.
struct EstimatedFamily {
  KernelFamily family;
  std::int64_t kernels = 1;
  bool operator==(const EstimatedFamily&) const = default;
};

// Holds the results of a search. Times are in seconds per step, and 0 means that a time is not
// known. Only exposed_communication_s may really be 0.
struct Prediction {
  double step_s = 0.0;
  double low_s = 0.0;   // the step if every kernel takes the lower end of its range
  double high_s = 0.0;  // the step if every kernel takes the upper end of its range
  double exposed_communication_s = 0.0;  // mean over ranks, waiting included
  double inference_s = 0.0;              // a mini-batch as `cnnexec --infer` runs it; 0: not known
  std::vector<PredictedOperation> operations;  // in schedule order of rank 0, then of others
  MemoryUse memory;                            // of the rank that needs most
  std::string baseline;     // the uniform plan that splits samples as far as possible: "n2"
  double baseline_s = 0.0;  // its step
  double bound_s = 0.0;     // no plan of the same choices is predicted faster
  double gap = 0.0;         // step_s / bound_s - 1, at least 0; 0 also where bound_s is not known
  std::string runner_up;    // the best other plan, by its name: "h2" for this mesh everywhere
  double runner_up_s = 0.0;
  std::int64_t candidates = 0;  // the candidates of all units that the search chose from
  std::int64_t pruned = 0;      // splits left out because some ranks would own nothing
  std::int64_t outpriced = 0;   // left out because every plan with them is slower than a known one
  std::vector<std::string> estimated_kernels;       // their texts, ascending
  std::vector<EstimatedFamily> estimated_families;  // of these kernels, ascending
  std::vector<UnitMargin> margins;                  // empty: not known
  OperationSum margins_sum;   // the sum in which this plan is closest to the cheapest one
  Partitioning partitioning;  // no steps: multigrid was not allowed, or nowhere possible
  // The number of gradients that rank 0, whose blocks are largest, sums with other ranks. Missing:
  // not known.
  std::optional<std::int64_t> reduced_gradients{};
  // Data parallelism comes first: its fastest run, then its run on the most ranks if the two
  // differ. The plan of the kind `next` comes last.
  std::vector<Rival> rivals{};
  Draws draws{};  // the step for random errors of the machine's figures
  bool operator==(const Prediction&) const = default;
};

// Holds a plan file.
struct Plan {
  Network network;
  int ranks = 1;
  std::int64_t batch = 1;  // global mini-batch
  Precision precision = Precision::fp32;
  std::string device;                       // fingerprint text of the profile, empty when estimated
  std::optional<DeviceKind> device_kind{};  // missing: not known, as in some older files
  IndexedVector<LayerIndex, LayerPlan> layers;
  std::vector<Multigrid> multigrid;  // chains that are not listed run layer by layer
  AllreduceAlgorithm gradient_allreduce = AllreduceAlgorithm::ring;  // for gradient buckets
  std::vector<SizedAllreduce> small_gradient_allreduces;  // exceptions for small sums, ascending
  AllreduceAlgorithm statistics_allreduce = AllreduceAlgorithm::library;  // batch norms and losses
  // True where gradients are summed by a reduce-scatter of the ring or the library. Every rank then
  // keeps its shard of the sums, updates that with the momentum of the shard alone, and gets the
  // weights of other shards by an allgather when the next step begins.
  bool sharded_update = false;
  // Bytes of optimizer state for each parameter, such as 8 for Adam, which count in the memory of a
  // rank. 0 is the momentum of SGD in the precision of parameters, with which cnnexec trains.
  int optimizer_state_bytes = 0;
  // This is the number of equal blocks of the mini-batch. Sums over samples are sums over blocks,
  // added as a binary tree. So all numbers of ranks that divide the number of blocks compute equal
  // bits (sample_blocks.hpp). With 1, kernels may sum in any order.
  int sample_blocks = 1;
  int ranks_per_node = 1;  // consecutive ranks, among which `hierarchical` sums first
  std::int64_t bucket_bytes = std::int64_t{32} << 20;  // gradients that are reduced together
  bool overlap = false;  // halos and gradient reductions run while kernels do
  // Maps profiled convolutions to the implementation that was timed, by the library's name for it.
  // A key is to_text(alone(canonical(spec))) of a kernel (planner/kernel/kernel.hpp). Backends with
  // several implementations run this one.
  std::map<std::string, std::string> implementations;
  Prediction prediction;
  std::vector<InputFile> inputs;  // files from which the plan was made, the network first
  bool operator==(const Plan&) const = default;
};

// Plan files with a larger optimizer_state_bytes are refused. validate() does not check it.
inline constexpr int max_optimizer_state_bytes = 1024;

// True where a rank computes parts of sums over channels: stationary_x and stationary_w on a mesh
// with an axis c.
bool sums_over_channels(const Split& split);

// True for batch norm, ReLU and add, whose output a kernel without products of matrices computes
// from the inputs.
bool can_recompute(const LayerParameters& parameters);

// Returns a plan with every layer on `mesh`, and defaults. Shapes are not checked.
Plan uniform_plan(const Network& network, std::int64_t batch, const Mesh& mesh);
// True if some chain's first cycle begins with the states with which the previous step ended.
bool has_warm_start(const Plan& plan);
// Returns the largest number of groups of layers that some chain runs at the same time on a rank.
// It is 1 if kernels run one after the other.
int most_lanes(const Plan& plan);

// Returns the algorithm for sums of gradients of this size: that of the first entry of
// small_gradient_allreduces which allows it, else gradient_allreduce.
AllreduceAlgorithm gradient_allreduce_of(const Plan& plan, std::int64_t bytes);
// Returns the algorithms for sums of all sizes, each algorithm once.
std::vector<AllreduceAlgorithm> gradient_allreduces(const Plan& plan);
// Sets one algorithm for sums of all sizes.
void set_gradient_allreduce(Plan& plan, AllreduceAlgorithm algorithm);

// Returns a plan of the same training on one rank. It has the precision, the batch norm statistics
// and the sample blocks of `plan`. With more than one sample block, it also has the device,
// implementations and algorithms, on which bits depend. Everything else has its default.
Plan on_one_rank(const Plan& plan);

// Checks a plan. Every layer needs a mesh of exactly `ranks` ranks and a split that
// channel_split_refusal allows. The same holds for the changes that margins list. Numbers must be
// in range, and all outputs together have at most 2^53 elements. The function also checks
// allreduces, stages, halo methods, chains (check_multigrid) and sample blocks
// (check_sample_blocks).
// @throws InputError (pointer into plan.json)
void validate(const Plan& plan, const std::string& file);

// Reads JSON of the schema cnnplan.plan/2 or /1, and validates the plan. `file` names it in errors.
// @throws InputError
Plan parse_plan(std::string_view json, const std::string& file);
// Checks that a plan file exists, before a program does its work.
// @throws IoError that says how to make a plan, if it does not
void require_plan_file(const std::string& file);
// Reads a file as parse_plan does. @throws InputError, IoError
Plan read_plan(const std::string& file);
// Returns the text of a plan file, in the newest schema.
std::string to_json(const Plan& plan);

// True if a chain runs by multigrid, or if some layer's mesh has an axis l, so that only some of
// the ranks have the layer.
bool is_split_by_layers(const Plan& plan);

}  // namespace cnnplan
