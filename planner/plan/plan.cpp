// Makes plans without a search, and checks plans from files.
#include "planner/plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/plan/multigrid_check.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/plan/rival_plan.hpp"
#include "planner/plan/sample_blocks.hpp"

namespace cnnplan {
namespace {

// This limits the outputs of all layers together, for the whole batch. Below it, the bytes of
// outputs, halos, error signals and buffers stay below the bytes that files may name.
constexpr std::int64_t max_elements = std::int64_t{1} << 53;

// Refuses invalid values of one plan file.
class PlanCheck {
 public:
  explicit PlanCheck(const std::string& file) : file_(file) {}

  void range(const std::string& pointer, std::int64_t value, std::int64_t maximum) const {
    if (value >= 1 && value <= maximum) return;
    refuse(pointer, std::to_string(value), "an integer from 1 to " + std::to_string(maximum));
  }
  void mesh(const std::string& pointer, const Mesh& mesh, int ranks) const {
    if (mesh.rank_count() != ranks) {
      refuse(pointer,
             '"' + to_text(mesh) + "\", which is " + std::to_string(mesh.rank_count()) + " ranks",
             "a mesh of " + std::to_string(ranks) + " ranks");
    }
  }
  void split(const std::string& pointer,
             const Plan& plan,
             LayerIndex index,
             const Split& split) const {
    mesh(pointer, split.mesh, plan.ranks);
    const std::string allowed = channel_split_refusal(
        plan.network, index, split.mesh.size(Axis::c), split.channel_algorithm);
    if (!allowed.empty()) refuse(pointer, '"' + to_text(split) + '"', allowed);
  }
  void margin(const std::string& pointer, const Plan& plan, const UnitMargin& margin) const {
    for (std::size_t i = 0; i < margin.layers.size(); ++i) {
      if (plan.network.index_of(margin.layers[i])) continue;
      refuse(pointer + "/layers/" + std::to_string(i),
             '"' + margin.layers[i] + '"',
             "a layer of the network");
    }
    for (std::size_t i = 0; i < margin.changes.size(); ++i) {
      const UnitChoice& choice = margin.changes[i];
      const std::string place = pointer + "/changes/" + std::to_string(i);
      const std::optional<LayerIndex> index = plan.network.index_of(choice.layer);
      if (!index) refuse(place + "/layer", '"' + choice.layer + '"', "a layer of the network");
      split(place + "/mesh", plan, *index, choice.split);
    }
  }
  void halo(const std::string& pointer, const Plan& plan, LayerIndex index) const {
    const HaloMethod halo = plan.layers[index].halo;
    if (halo == HaloMethod::exchange_first || has_halo_method(plan.network.layer(index).parameters))
      return;
    refuse(pointer + "/halo",
           '"' + std::string(to_text(halo)) + '"',
           "\"exchange_first\" but for convolutions that are not transposed");
  }
  // Requires one input and several nodes of equal size where a layer gathers node by node. The
  // lowering refuses layers whose nodes need no common block.
  void gather(const std::string& pointer, const Plan& plan, LayerIndex index) const {
    const GatherMethod method = plan.layers[index].gather;
    if (method == GatherMethod::direct || may_gather(plan, index)) return;
    refuse(pointer + "/gather",
           '"' + std::string(to_text(method)) + '"',
           "\"direct\", except for layers with one input and the halo \"exchange_first\", where "
           "ranks_per_node is above 1 and below the ranks, and divides them");
  }
  // Requires an algorithm with halves, because a sharded update runs each half by itself.
  void halves(const std::string& pointer, AllreduceAlgorithm algorithm) const {
    if (has_halves(algorithm)) return;
    refuse(pointer,
           '"' + std::string(to_text(algorithm)) + '"',
           "\"ring\" or \"library\", which have halves, with sharded_update");
  }
  void sizes(const Plan& plan) const {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < plan.small_gradient_allreduces.size(); ++i) {
      const SizedAllreduce& sized = plan.small_gradient_allreduces[i];
      const std::string pointer = "/small_gradient_allreduces/" + std::to_string(i);
      if (plan.sharded_update) halves(pointer + "/algorithm", sized.algorithm);
      if (sized.max_bytes <= before) {
        refuse(pointer + "/max_bytes",
               std::to_string(sized.max_bytes),
               "more than the " + std::to_string(before) + " before it");
      }
      before = sized.max_bytes;
    }
  }
  void stage(const std::string& pointer, const Plan& plan, LayerIndex index) const {
    const LayerPlan& own = plan.layers[index];
    const int stages = own.mesh.size(Axis::l);
    if (stages > 1 && !can_be_staged(plan.network.layer(index).parameters)) {
      refuse(pointer + "/mesh",
             '"' + to_text(own.mesh) + '"',
             "axes n c d h w r: only layers with a window, relu, add and upsample are for some "
             "ranks alone");
    }
    if (own.stage >= 0 && own.stage < stages) return;
    refuse(pointer + "/stage",
           std::to_string(own.stage),
           "at most " + std::to_string(stages - 1) + ", of the " + std::to_string(stages) +
               " ranks along l");
  }
  // Returns the sum of `elements` and the output of a layer.
  std::int64_t with_output(std::int64_t elements,
                           const Network& network,
                           LayerIndex index,
                           std::int64_t batch) const {
    std::string sum;
    try {
      elements = checked_add(elements, volume(network.output_shape(index, batch)));
      if (elements <= max_elements) return elements;
      sum = std::to_string(elements);
    } catch (const InputError& error) {
      sum = error.problem().value;
    }
    refuse("/batch",
           std::to_string(batch) + ", with which the outputs up to layer \"" +
               network.layer(index).name + "\" take " + sum + " elements",
           "a batch with which all outputs take at most " + std::to_string(max_elements));
  }
  [[noreturn]] void refuse(const std::string& pointer,
                           const std::string& value,
                           const std::string& allowed) const {
    throw InputError({.file = file_, .pointer = pointer, .value = value, .allowed = allowed});
  }

 private:
  const std::string& file_;
};

// Refuses a rival that is no valid plan, at the place of its settings.
void check_rival(const Plan& plan, std::size_t index, const std::string& file) {
  const std::optional<Plan> rival = plan_of_rival(plan, plan.prediction.rivals[index]);
  if (!rival) return;
  try {
    validate(*rival, file);
  } catch (const InputError& error) {
    throw InputError({.file = file,
                      .pointer = "/prediction/rivals/" + std::to_string(index) + "/settings",
                      .value = error.problem().value,
                      .allowed = error.problem().allowed});
  }
}

}  // namespace

std::string to_text(const Split& split) {
  const bool is_default = split.channel_algorithm == Split{}.channel_algorithm;
  return to_text(split.mesh) +
         (is_default ? "" : " " + std::string(to_text(split.channel_algorithm)));
}

Split parse_split(std::string_view text) {
  const std::size_t gap = std::min(text.find(' '), text.size());
  Split split{.mesh = parse_mesh(text.substr(0, gap))};
  if (gap == text.size()) return split;
  const std::map<std::string, ChannelAlgorithm> algorithms = names_of<ChannelAlgorithm>();
  const auto found = algorithms.find(std::string(text.substr(gap + 1)));
  if (found == algorithms.end()) {
    throw InputError({.file = "",
                      .pointer = "",
                      .value = '"' + std::string(text) + '"',
                      .allowed = "a mesh, and an algorithm of split channels after a space"});
  }
  split.channel_algorithm = found->second;
  return split;
}

bool sums_over_channels(const Split& split) {
  return input_parts(split.channel_algorithm, split.mesh.size(Axis::c)) > 1;
}

bool can_be_staged(const LayerParameters& parameters) {
  return traits_of(parameters).may_be_staged;
}

bool can_recompute(const LayerParameters& parameters) {
  return traits_of(parameters).may_recompute;
}

Plan uniform_plan(const Network& network, std::int64_t batch, const Mesh& mesh) {
  Plan plan;
  plan.network = network;
  plan.ranks = mesh.rank_count();
  plan.batch = batch;
  plan.layers.assign(network.layers().size(), LayerPlan{.mesh = mesh});
  return plan;
}

AllreduceAlgorithm gradient_allreduce_of(const Plan& plan, std::int64_t bytes) {
  const auto& small = plan.small_gradient_allreduces;
  const auto found = std::find_if(small.begin(), small.end(), [bytes](const SizedAllreduce& sized) {
    return bytes <= sized.max_bytes;
  });
  return found == small.end() ? plan.gradient_allreduce : found->algorithm;
}

std::vector<AllreduceAlgorithm> gradient_allreduces(const Plan& plan) {
  std::vector<AllreduceAlgorithm> found{plan.gradient_allreduce};
  for (const SizedAllreduce& sized : plan.small_gradient_allreduces) {
    const bool is_known = std::find(found.begin(), found.end(), sized.algorithm) != found.end();
    if (!is_known) found.push_back(sized.algorithm);
  }
  return found;
}

void set_gradient_allreduce(Plan& plan, AllreduceAlgorithm algorithm) {
  plan.gradient_allreduce = algorithm;
  plan.small_gradient_allreduces.clear();
}

bool has_warm_start(const Plan& plan) {
  return std::any_of(plan.multigrid.begin(), plan.multigrid.end(), [](const Multigrid& chain) {
    return chain.first_guess == FirstGuess::previous;
  });
}

int most_lanes(const Plan& plan) {
  int most = 1;
  for (const Multigrid& chain : plan.multigrid) most = std::max(most, chain.concurrency);
  return most;
}

Plan on_one_rank(const Plan& plan) {
  Plan single = uniform_plan(plan.network, plan.batch, Mesh());
  single.precision = plan.precision;
  single.sample_blocks = plan.sample_blocks;
  const bool same_kernels = plan.sample_blocks > 1;
  if (same_kernels) {
    single.device = plan.device;
    single.device_kind = plan.device_kind;
    single.implementations = plan.implementations;
  }
  for (const LayerIndex i : plan.layers.indices()) {
    single.layers[i].statistics = plan.layers[i].statistics;
    if (same_kernels) single.layers[i].algorithms = plan.layers[i].algorithms;
  }
  return single;
}

void validate(const Plan& plan, const std::string& file) {
  const PlanCheck check(file);
  check.range("/ranks", plan.ranks, max_ranks);
  check.range("/batch", plan.batch, max_batch);
  check.range("/ranks_per_node", plan.ranks_per_node, max_ranks);
  check.range("/bucket_bytes", plan.bucket_bytes, std::numeric_limits<std::int64_t>::max());
  if (plan.sharded_update && !has_halves(plan.gradient_allreduce)) {
    check.refuse("/sharded_update",
                 "true with " + std::string(to_text(plan.gradient_allreduce)),
                 "true with the gradient_allreduce \"ring\" or \"library\", which have halves");
  }
  check.sizes(plan);
  if (plan.layers.size() != plan.network.layers().size()) {
    check.refuse("/layers",
                 "a list of " + std::to_string(plan.layers.size()),
                 "one entry for each of the network's " +
                     std::to_string(plan.network.layer_count()) + " layers");
  }
  std::int64_t elements = 0;
  for (const LayerIndex i : plan.network.layers().indices()) {
    const LayerPlan& layer = plan.layers[i];
    const std::string place = "/layers/" + std::to_string(i);
    check.split(place + "/mesh", plan, i, layer.split());
    check.stage(place, plan, i);
    check.halo(place, plan, i);
    check.gather(place, plan, i);
    elements = check.with_output(elements, plan.network, i, plan.batch);
  }
  check_multigrid(plan, file);
  check_sample_blocks(plan, file);
  const std::vector<UnitMargin>& margins = plan.prediction.margins;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    check.margin("/prediction/margins/" + std::to_string(i), plan, margins[i]);
  }
  for (std::size_t i = 0; i < plan.prediction.rivals.size(); ++i) {
    check_rival(plan, i, file);
  }
}

std::string to_text(const OperationSum& sum) {
  return sum.rank < 0 ? "all operations" : "all operations of rank " + std::to_string(sum.rank);
}

bool is_split_by_layers(const Plan& plan) {
  return !plan.multigrid.empty() ||
         std::any_of(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
           return layer.mesh.size(Axis::l) > 1;
         });
}

}  // namespace cnnplan
