// Tests whole lowered steps: ids, order of operations, refusals, inference.
#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "planner/network/residual_chain.hpp"
#include "planner/schedule/schedule.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

int tag_of(const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  return transfer == nullptr ? -1 : transfer->tag;
}

// Holds the properties that an id must have on every rank that has it.
struct Meaning {
  std::size_t body = 0;
  OperationLabel label;
  Stream stream = Stream::compute;
  LayerIndex layer;
  int tag = -1;
  bool operator==(const Meaning&) const = default;
};

Meaning meaning_of(const Operation& operation) {
  return {.body = operation.body.index(),
          .label = operation.label,
          .stream = operation.stream,
          .layer = operation.layer,
          .tag = tag_of(operation)};
}

// Returns "forward cycle_1/relax/level_0" for an operation of multigrid, and nothing for others.
std::string pass_of(const Operation& operation) {
  static const std::regex pass(R"((cycle_\d+/\w+/level_\d+)|(guess/level_\d+)|/finish)");
  std::smatch found;
  if (!std::regex_search(operation.id, found, pass)) return "";
  const bool is_forward = operation.id.find("/forward/") != std::string::npos;
  return (is_forward ? "forward " : "backward ") + found.str();
}

// Returns for every operation how often lanes were taken in turn before it in its pass.
// @pre groups come in the order of their lanes
std::vector<int> waves_of(const Schedule& schedule) {
  std::map<std::string, std::pair<int, int>> last;  // by pass: wave and lane
  std::vector<int> waves;
  for (const Operation& operation : schedule.operations) {
    auto& [wave, lane] = last[pass_of(operation)];
    if (!is_communication(operation)) {
      if (operation.lane < lane) ++wave;
      lane = operation.lane;
    }
    waves.push_back(wave);
  }
  return waves;
}

// Names two kernels of one wave in different lanes of which one waits for the other, if there are
// any. Relaxed C-points are left out: they wait until the group that begins there has read them.
std::string first_wait_between_lanes(const Plan& plan, const Schedule& schedule) {
  const auto share_chain = [&plan](const Operation& a, const Operation& b) {
    return std::ranges::any_of(plan.multigrid, [&](const Multigrid& chain) {
      return chain.first <= std::min(a.layer, b.layer) && std::max(a.layer, b.layer) <= chain.last;
    });
  };
  const std::vector<int> waves = waves_of(schedule);
  for (const OperationIndex i : schedule.operations.indices()) {
    const Operation& operation = schedule.operations[i];
    const std::string pass = pass_of(operation);
    if (pass.empty() || pass.find("relax_c") != std::string::npos) continue;
    for (OperationIndex index : operation.depends_on) {
      const Operation& earlier = schedule.operations[index];
      if (is_communication(operation) || is_communication(earlier)) continue;
      if (waves[index] != waves[i]) continue;
      if (earlier.lane != operation.lane && pass_of(earlier) == pass &&
          share_chain(earlier, operation)) {
        return operation.id + " waits for " + earlier.id;
      }
    }
  }
  return "";
}

std::string first_repeated_id(const Schedule& schedule) {
  std::set<std::string> seen;
  for (const Operation& operation : schedule.operations) {
    if (!seen.insert(operation.id).second) return operation.id;
  }
  return "";
}

// Returns the ids of operations that can make ranks wait for each other, in order.
std::vector<std::string> meetings(const Schedule& schedule, const std::set<std::string>& among) {
  std::vector<std::string> ids;
  for (const Operation& operation : schedule.operations) {
    if (among.contains(operation.id)) ids.push_back(operation.id);
  }
  return ids;
}

std::set<std::string> communication_ids(const Schedule& schedule) {
  std::set<std::string> ids;
  for (const Operation& operation : schedule.operations) {
    if (!std::holds_alternative<KernelOperation>(operation.body)) ids.insert(operation.id);
  }
  return ids;
}

Network small_network() {
  return Network("small",
                 {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                  {"conv", {"data"}, Convolution{.filters = 4}},
                  {"relu", {"conv"}, Relu{}},
                  {"fc", {"relu"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Returns a network with a convolution whose reader also reads its input.
Network concat_network() {
  return Network("concat",
                 {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                  {"conv", {"data"}, Convolution{.filters = 2}},
                  {"join", {"data", "conv", "conv"}, Concat{}},
                  {"fc", {"join"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Returns a network with two residual layers u + h ReLU(conv(u)) after a first layer.
Network chain_network(double scale) {
  const Convolution convolution{.filters = 4, .bias = true};
  return Network("chain",
                 {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                  {"open", {"data"}, convolution},
                  {"conv1", {"open"}, convolution},
                  {"relu1", {"conv1"}, Relu{}},
                  {"add1", {"open", "relu1"}, Add{.scale = scale}},
                  {"conv2", {"add1"}, convolution},
                  {"relu2", {"conv2"}, Relu{}},
                  {"add2", {"add1", "relu2"}, Add{.scale = scale}},
                  {"fc", {"add2"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

const TransferOperation& transfer_of(const Schedule& schedule, const std::string& id) {
  const auto found = std::find_if(schedule.operations.begin(),
                                  schedule.operations.end(),
                                  [&](const Operation& operation) { return operation.id == id; });
  REQUIRE(found != schedule.operations.end());
  return std::get<TransferOperation>(found->body);
}

std::vector<std::string> ids_of(const Schedule& schedule) {
  std::vector<std::string> ids;
  for (const Operation& operation : schedule.operations) ids.push_back(operation.id);
  return ids;
}

}  // namespace

TEST_CASE("lower: replicas that nodes cut at other places do not sum node by node") {
  const Network network("replicas",
                        {{"data", {}, Input{.channels = 3, .size = {1, 4, 4}}},
                         {"replicated", {"data"}, Convolution{.filters = 6}},
                         {"norm", {"replicated"}, BatchNorm{}},
                         {"split", {"norm"}, Convolution{.filters = 6}},
                         {"loss", {"split"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 4, parse_mesh("r3n4"));
  constexpr LayerIndex split(3);
  plan.layers[split].mesh = parse_mesh("c3n4");
  plan.gradient_allreduce = plan.statistics_allreduce = AllreduceAlgorithm::hierarchical;
  const auto algorithms = [&](int ranks_per_node, bool replicated) {
    plan.ranks_per_node = ranks_per_node;
    std::set<AllreduceAlgorithm> found;
    for (const Schedule& schedule : lower_all(plan)) {
      for (const Operation& operation : schedule.operations) {
        const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
        const bool is_meant = collective != nullptr && (operation.layer != split) == replicated;
        if (is_meant) found.insert(collective->algorithm);
      }
    }
    return found;
  };
  CHECK(algorithms(6, true) == std::set{AllreduceAlgorithm::ring});
  CHECK(algorithms(6, false) == std::set{AllreduceAlgorithm::hierarchical});
  CHECK(algorithms(4, true) == std::set{AllreduceAlgorithm::hierarchical});
}

TEST_CASE("lower: exchanges of a weight that is cut in both directions are no halos") {
  const Network network("channels",
                        {{"data", {}, Input{.channels = 3, .size = {1, 4, 4}}},
                         {"first", {"data"}, Convolution{.filters = 8}},
                         {"second", {"first"}, Convolution{.filters = 8}},
                         {"loss", {"second"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 4, parse_mesh("n4"));
  const auto ids_with = [&](ChannelAlgorithm algorithm) {
    plan.layers[LayerIndex(1)].set({.mesh = parse_mesh("c4")});
    plan.layers[LayerIndex(2)].set({.mesh = parse_mesh("c4"), .channel_algorithm = algorithm});
    std::set<std::string> ids;
    for (const Operation& operation : lower(plan, 1).operations) ids.insert(operation.id);
    return ids;
  };
  const auto both = ids_with(ChannelAlgorithm::stationary_w);
  for (const char* id : {"second/forward/allgather",
                         "second/forward/reduce_scatter",
                         "second/backward/allgather",
                         "second/backward/reduce_scatter"}) {
    CAPTURE(id);
    CHECK(both.contains(id));
  }
  CHECK_FALSE(both.contains("second/forward/halo"));
  const auto of_inputs = ids_with(ChannelAlgorithm::stationary_x);
  CHECK_FALSE(of_inputs.contains("second/forward/allgather"));
  CHECK(of_inputs.contains("second/backward/allgather"));
}

TEST_CASE("lower: groups at the same time have lanes of their own and do not wait for each other") {
  int schedules = 0;
  for (const NamedPlan& named : chain_plans(40)) {
    CAPTURE(named.name);
    for (const Schedule& schedule : lower_all(named.plan)) {
      if (schedule.lanes == 1) continue;
      ++schedules;
      REQUIRE(first_wait_between_lanes(named.plan, schedule) == "");
      std::set<int> lanes;
      for (const Operation& operation : schedule.operations) {
        lanes.insert(operation.lane);
        if (is_communication(operation)) CHECK(operation.lane == 0);
        const auto* kernel = std::get_if<KernelOperation>(&operation.body);
        if (kernel != nullptr) CHECK(operation.lane < kernel->spec.concurrency);
      }
      CHECK(static_cast<int>(lanes.size()) == schedule.lanes);
    }
  }
  CHECK(schedules > 20);
}

TEST_CASE("lower: memory of groups at the same time is free for the next groups") {
  Plan plan = uniform_plan(read_network("configs/networks/residual-64.json"), 1, Mesh());
  const ResidualChain chain = residual_chains(plan.network).at(0);
  for (LayerIndex layer = chain.front().weights; layer <= chain.back().sum; ++layer) {
    plan.layers[layer].mesh = Mesh({{Axis::l, 1}});
  }
  plan.multigrid = {
      {.first = chain.front().weights, .last = chain.back().sum, .coarsening = 4, .cycles = 2}};
  const auto arena_bytes = [&](int concurrency) {
    return lower(with_concurrency(plan, concurrency), 0).arena_bytes;
  };
  CHECK(4 * arena_bytes(2) < 3 * arena_bytes(16));
}

TEST_CASE("Lowering: the operations of a step, by id") {
  Plan plan = uniform_plan(small_network(), 4, parse_mesh("n2"));
  plan.layers[LayerIndex(1)].mesh = plan.layers[LayerIndex(2)].mesh = parse_mesh("h2");
  CHECK(ids_of(lower(plan, 0)) == std::vector<std::string>{"data/load",
                                                           "conv/forward/shuffle",
                                                           "conv/forward",
                                                           "relu/forward",
                                                           "fc/forward/shuffle",
                                                           "fc/forward",
                                                           "loss/forward",
                                                           "loss/allreduce",
                                                           "loss/backward_data",
                                                           "fc/backward_data",
                                                           "fc/backward/shuffle",
                                                           "fc/backward_filter",
                                                           "relu/backward_data",
                                                           "conv/backward_filter",
                                                           "reduce/0",
                                                           "sgd/0"});
}

TEST_CASE("Lowering: one rank neither sends nor sums") {
  const Plan plan = uniform_plan(small_network(), 4, Mesh());
  for (const Operation& operation : lower(plan, 0).operations) {
    CAPTURE(operation.id);
    CHECK_FALSE(std::holds_alternative<TransferOperation>(operation.body));
    CHECK_FALSE(std::holds_alternative<CollectiveOperation>(operation.body));
  }
}

// The convolution has 224 rows, a window of seven, a stride of two and a padding of three.
TEST_CASE("Lowering: the halo of the samples is loaded, not exchanged") {
  Plan plan = uniform_plan(read_network("configs/networks/resnet50.json"), 2, parse_mesh("h2"));
  const std::array loaded{Range{0, 114}, Range{109, 224}};
  for (const int rank : {0, 1}) {
    const Schedule schedule = lower(plan, rank);
    const auto ids = ids_of(schedule);
    CHECK(std::count(ids.begin(), ids.end(), "conv1/forward/halo") == 0);
    CHECK(schedule.data_box[Dim::h] == loaded[static_cast<std::size_t>(rank)]);
    CHECK(schedule.outputs[LayerIndex(0)].box[Dim::h].size() == 112);
  }
  // On another mesh, the convolution needs other blocks.
  plan.layers[LayerIndex(1)].mesh = parse_mesh("w2");
  const Schedule schedule = lower(plan, 0);
  CHECK(schedule.data_box == schedule.outputs[LayerIndex(0)].box);
}

TEST_CASE("Lowering: a concat copies its inputs, and their gradients back") {
  const Schedule schedule = lower(uniform_plan(concat_network(), 4, Mesh()), 0);
  CHECK(ids_of(schedule) == std::vector<std::string>{"data/load",
                                                     "conv/forward",
                                                     "join/forward/copy/data",
                                                     "join/forward/copy/conv",
                                                     "join/forward/copy/conv/2",
                                                     "fc/forward",
                                                     "loss/forward",
                                                     "loss/backward_data",
                                                     "fc/backward_data",
                                                     "fc/backward_filter",
                                                     "join/backward/copy/conv",
                                                     "join/backward/copy/conv/2",
                                                     "conv/accumulate",
                                                     "conv/backward_filter",
                                                     "sgd/0"});
}

TEST_CASE("Lowering: parts that a concat moves are in its channels") {
  const Schedule schedule = lower(uniform_plan(concat_network(), 4, Mesh()), 0);
  const Box block = whole({{4, 2, 1, 8, 8}});
  for (const auto& [id, first] :
       std::map<std::string, std::int64_t>{{"/copy/conv", 4}, {"/copy/conv/2", 6}}) {
    const TransferOperation& there = transfer_of(schedule, "join/forward" + id);
    CHECK(there.list.receives == std::vector{Piece{0, block}});
    CHECK(source_box(schedule, there) == block);
    CHECK(destination_box(schedule, there)[Dim::c] == Range{-first, 8 - first});
    const TransferOperation& back = transfer_of(schedule, "join/backward" + id);
    CHECK(back.list == there.list);
    CHECK(source_box(schedule, back) == destination_box(schedule, there));
    CHECK(destination_box(schedule, back) == block);
    CHECK_FALSE(back.accumulate);
  }
}

TEST_CASE("Lowering: the second input of a scaled add gets a gradient of its own") {
  const auto scales_in = [](double scale) {
    std::map<std::string, double> scales;
    const Schedule schedule = lower(uniform_plan(chain_network(scale), 4, Mesh()), 0);
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr) continue;
      const KernelKind kind = kernel->spec.kind;
      if (kind != KernelKind::add && kind != KernelKind::accumulate) continue;
      scales[operation.id] = kernel->constants.add_scale;
      const BufferIndex written = kernel->operands.back().buffer;
      CHECK(written != kernel->operands.front().buffer);
    }
    return scales;
  };
  CHECK(scales_in(0.5) == std::map<std::string, double>{{"add1/forward", 0.5},
                                                        {"add2/forward", 0.5},
                                                        {"add1/backward_scale", 0.5},
                                                        {"add2/backward_scale", 0.5},
                                                        {"add1/accumulate", 1.0},
                                                        {"open/accumulate", 1.0}});
  CHECK_FALSE(scales_in(1.0).contains("add1/backward_scale"));
}

// The batch norm has two readers: a convolution, and an add that hands its own gradient on.
TEST_CASE("Lowering: a batch norm adds two error signals in memory that nobody else reads") {
  Convolution same{.filters = 4};
  same.window.dims[1] = same.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Network network("block",
                        {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                         {"open", {"data"}, same},
                         {"norm", {"open"}, BatchNorm{}},
                         {"relu", {"norm"}, Relu{}},
                         {"conv", {"relu"}, same},
                         {"add", {"relu", "conv"}, Add{}},
                         {"fc", {"add"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  const Schedule schedule = lower(uniform_plan(network, 4, Mesh()), 0);
  std::map<std::string, const KernelOperation*> kernels;
  for (const Operation& operation : schedule.operations) {
    kernels[operation.id] = std::get_if<KernelOperation>(&operation.body);
  }
  CHECK_FALSE(kernels.contains("relu/accumulate"));
  const KernelOperation& sums = *kernels.at("norm/backward_statistics");
  REQUIRE(sums.spec.second_dy);
  const BufferIndex of_add = kernels.at("fc/backward_data")->operands.back().buffer;
  const BufferIndex of_convolution = kernels.at("conv/backward_data")->operands.back().buffer;
  CHECK(sums.operands[1].buffer == of_add);
  CHECK(sums.operands[2].buffer == of_convolution);
  CHECK(sums.operands.back().buffer == of_convolution);
  CHECK(kernels.at("norm/backward_data")->spec.residual);
  CHECK(kernels.at("norm/backward_data")->operands[1].buffer == of_convolution);
}

TEST_CASE("Lowering: a batch norm with a residual keeps its mask for the backward pass") {
  Convolution same{.filters = 64};
  same.window.dims[1] = same.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Network network("block",
                        {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                         {"open", {"data"}, same},
                         {"conv", {"open"}, same},
                         {"norm", {"conv"}, BatchNorm{}},
                         {"add", {"norm", "open"}, Add{}},
                         {"relu", {"add"}, Relu{}},
                         {"fc", {"relu"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 4, Mesh());
  plan.precision = Precision::bf16;
  const Schedule schedule = lower(plan, 0);
  std::map<std::string, Operand> last;
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr) last[operation.id] = kernel->operands.back();
  }
  const Operand& written = last.at("norm/forward");
  const Operand& read = last.at("norm/backward_statistics");
  CHECK(written.written);
  CHECK(!read.written);
  CHECK(read.buffer == written.buffer);
  CHECK(schedule.buffers[read.buffer].bytes == 4 * 64 * 8 * 8 / 8);
  const Schedule inference = lower(plan, 0, {.pass = Pass::inference});
  const auto norm = std::find_if(
      inference.operations.begin(), inference.operations.end(), [](const Operation& operation) {
        return operation.id == "norm/forward";
      });
  REQUIRE(norm != inference.operations.end());
  CHECK(is_empty(std::get<KernelOperation>(norm->body).operands.back().box));
}

TEST_CASE("Lowering: a concat on another mesh is the shuffle") {
  Plan plan = uniform_plan(concat_network(), 4, parse_mesh("n2"));
  plan.layers[LayerIndex(2)].mesh = parse_mesh("h2");
  const Schedule schedule = lower(plan, 0);
  for (const char* way : {"join/forward", "join/backward"}) {
    const TransferOperation& transfer = transfer_of(schedule, std::string(way) + "/shuffle/conv/2");
    CHECK(transfer.list.sends.size() == 2);
    CHECK(transfer.list.receives.size() == 2);
  }
}

TEST_CASE("Lowering: ids are unique on a rank and mean the same on all") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    std::map<std::string, Meaning> meanings;
    for (const Schedule& schedule : lower_all(plan)) {
      CHECK(first_repeated_id(schedule) == "");
      for (const Operation& operation : schedule.operations) {
        const auto [entry, is_new] = meanings.try_emplace(operation.id, meaning_of(operation));
        const bool same = entry->second == meaning_of(operation);
        CHECK_MESSAGE(same, operation.id);
      }
    }
  }
}

TEST_CASE("Lowering: two ranks meet in the same order") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const auto schedules = lower_all(plan);
    for (const Schedule& a : schedules) {
      for (const Schedule& b : schedules) {
        if (a.rank >= b.rank) continue;
        CHECK(meetings(a, communication_ids(b)) == meetings(b, communication_ids(a)));
      }
    }
  }
}

TEST_CASE("Lowering: several ranks at once are lowered as one by one") {
  for (const NamedPlan& named : random_plans(10)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& together : lower_all(plan)) {
      const Schedule alone = lower(plan, together.rank);
      CHECK(ids_of(alone) == ids_of(together));
      CHECK(alone.arena_bytes == together.arena_bytes);
    }
  }
}

TEST_CASE("Lowering: inference goes forward only, with running statistics") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const Schedule schedule = lower(plan, plan.ranks - 1, {.pass = Pass::inference});
    CHECK(schedule.gradients == -1);
    CHECK(schedule.momentum == -1);
    CHECK(schedule.outputs[plan.network.loss_layer()].buffer >= 0);
    for (const Buffer& buffer : schedule.buffers) {
      CHECK(buffer.role != BufferRole::error_signal);
      CHECK(buffer.role != BufferRole::gradients);
      CHECK(buffer.role != BufferRole::momentum);
    }
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      const bool is_transposed_layer =
          is_transposed(plan.network.layer(operation.layer).parameters);
      if (kernel != nullptr && kernel->spec.kind == KernelKind::convolution &&
          is_transposed_layer) {
        CHECK(kernel->spec.phase == KernelPhase::backward_data);
      } else if (kernel != nullptr) {
        CHECK(kernel->spec.phase == KernelPhase::forward);
      }
      const bool sums_loss =
          operation.id.ends_with("loss/allreduce") || operation.layer == plan.network.loss_layer();
      const bool is_collective = std::holds_alternative<CollectiveOperation>(operation.body);
      CHECK((!is_collective || sums_loss));
    }
  }
}

TEST_CASE("Lowering: inference finds every parameter where training has it") {
  for (const NamedPlan& named : random_plans(20)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const Schedule training = lower(plan, 0);
    const Schedule inference = lower(plan, 0, {.pass = Pass::inference});
    REQUIRE(training.slots.size() == inference.slots.size());
    for (const SlotIndex i : training.slots.indices()) {
      CHECK(training.slots[i].layer == inference.slots[i].layer);
      CHECK(training.slots[i].role == inference.slots[i].role);
      CHECK(training.slots[i].shape == inference.slots[i].shape);
    }
  }
}

}  // namespace cnnplan::test
