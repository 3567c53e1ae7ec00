// Tests how convolutions are cut into an interior and strips, and how such parts are lowered.
#include "planner/schedule/blocks/interior.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/blocks/ownership.hpp"
#include "planner/schedule/schedule.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/planner/schedule/order_of_execution.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr LayerIndex convolution(2);

// Returns a plan of a batch norm, whose output has room for the halo, and a convolution of 3 x 3.
Plan rows(std::int64_t height, std::int64_t stride, const char* mesh, std::int64_t batch = 1) {
  Convolution window{.filters = 2};
  window.window.dims[1] = {.kernel = 3, .stride = stride, .padding_begin = 1, .padding_end = 1};
  window.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Network network("rows",
                        {{"input", {}, Input{.channels = 2, .size = {1, height, 8}}},
                         {"bn", {"input"}, BatchNorm{}},
                         {"conv", {"bn"}, window},
                         {"loss", {"conv"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, batch, parse_mesh(mesh));
  plan.layers[convolution].halo = HaloMethod::interior_strips;
  plan.overlap = true;
  return plan;
}

ConvolutionBlocks blocks_of(const Plan& plan, LayerIndex layer, int rank) {
  const RankBoxes outputs = owned_blocks(plan, layer);
  return {
      .owned = owned_blocks(plan, plan.network.inputs_of(layer)[0]).box(rank),
      .needed = needed_blocks(signature_of(plan.network, layer, 0, plan.batch), outputs).box(rank),
      .outputs = outputs.box(rank)};
}

std::vector<Range> rows_of(const std::vector<OutputPart>& parts) {
  std::vector<Range> found;
  for (const OutputPart& part : parts) found.push_back(part.outputs[Dim::h]);
  return found;
}

std::vector<Range> rows_of(const Plan& plan, int rank) {
  return rows_of(
      interior_and_strips(plan.network, convolution, blocks_of(plan, convolution, rank)));
}

bool is_part(const Operation& operation, const char* word) {
  return operation.id.find(word) != std::string::npos;
}

// Checks that parts compute every output once, from inputs that exist, with the padding at their
// borders.
void check_parts(const Plan& plan, LayerIndex layer, int rank) {
  const ConvolutionBlocks blocks = blocks_of(plan, layer, rank);
  const std::vector<OutputPart> parts = interior_and_strips(plan.network, layer, blocks);
  std::int64_t outputs = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const OutputPart& part = parts[i];
    outputs += volume(part.outputs);
    CHECK(contains(blocks.outputs, part.outputs));
    CHECK(contains(part.is_interior() ? blocks.owned : blocks.needed, part.needed));
    for (std::size_t other = 0; other < i; ++other) {
      CHECK_FALSE(overlap(part.outputs, parts[other].outputs));
    }
    for (const Dim dim : {Dim::d, Dim::h, Dim::w}) {
      const auto axis = static_cast<std::size_t>(dim) - static_cast<std::size_t>(Dim::d);
      const WindowDim& window = part.window.dims[axis];
      const std::int64_t made = output_length(part.needed[dim].size(), window);
      CHECK(made >= part.outputs[dim].size());
      if (window.stride <= window.reach()) CHECK(made == part.outputs[dim].size());
    }
  }
  CHECK((parts.empty() || outputs == volume(blocks.outputs)));
}

}  // namespace

TEST_CASE("interior_and_strips: a row at each border that has a neighbour") {
  CHECK(rows_of(rows(12, 1, "h3"), 0) == std::vector{Range{0, 3}, Range{3, 4}});
  CHECK(rows_of(rows(12, 1, "h3"), 1) == std::vector{Range{5, 7}, Range{4, 5}, Range{7, 8}});
  CHECK(rows_of(rows(12, 1, "h3"), 2) == std::vector{Range{9, 12}, Range{8, 9}});
}

TEST_CASE("interior_and_strips: with a stride the halo may be on one side only") {
  CHECK(rows_of(rows(12, 2, "h2"), 0).empty());
  CHECK(rows_of(rows(12, 2, "h2"), 1) == std::vector{Range{4, 6}, Range{3, 4}});
}

TEST_CASE("interior_and_strips: sample by sample, all interiors first") {
  const Plan plan = rows(12, 1, "h3", 2);
  const auto parts =
      interior_and_strips(plan.network, convolution, blocks_of(plan, convolution, 0));
  REQUIRE(parts.size() == 4);
  CHECK(rows_of(parts) == std::vector{Range{0, 3}, Range{0, 3}, Range{3, 4}, Range{3, 4}});
  CHECK(parts[1].outputs[Dim::n] == Range{1, 2});
  CHECK(parts[1].is_interior());
  CHECK_FALSE(parts[2].is_interior());
}

TEST_CASE("interior_and_strips: whole without an interior, a halo, or a halo in one dim alone") {
  CHECK(rows_of(rows(12, 1, "h12"), 1).empty());
  CHECK(rows_of(rows(12, 1, "n2", 2), 1).empty());
  CHECK(rows_of(rows(12, 1, "w2"), 1).empty());
  CHECK(rows_of(rows(12, 1, "h2w2"), 1).empty());
  Plan shuffled = rows(12, 1, "h2");
  shuffled.layers[LayerIndex(1)].mesh = parse_mesh("w2");
  CHECK(rows_of(shuffled, 1).empty());
}

TEST_CASE("interior_and_strips: compute every output of random plans once, from existing inputs") {
  int cut = 0;
  for (const NamedPlan& named : random_plans(60)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const LayerIndex layer : plan.network.layers().indices()) {
      if (!has_halo_method(plan.network.layer(layer).parameters)) continue;
      for (int rank = 0; rank < plan.ranks; ++rank) check_parts(plan, layer, rank);
      const auto parts = interior_and_strips(plan.network, layer, blocks_of(plan, layer, 0));
      cut += parts.empty() ? 0 : 1;
    }
  }
  CHECK(cut > 0);
}

TEST_CASE("lower: random plans have interiors, so that executors are tested with them") {
  constexpr std::uint64_t plans = 40;
  int interiors = 0;
  for (std::uint64_t seed = 0; seed < plans; ++seed) {
    for (const Schedule& schedule : lower_all(random_row_plan(seed, 3))) {
      for (const Operation& operation : schedule.operations) {
        interiors += is_part(operation, "/interior_") ? 1 : 0;
      }
    }
  }
  CHECK(interiors > 40);
}

TEST_CASE(
    "lower: strips wait for the halo, the interior does not, and later operations wait for both") {
  for (const char* mesh : {"h3", "n2h2"}) {
    const Schedule schedule = lower(rows(12, 1, mesh, 2), 1);
    const auto& operations = schedule.operations;
    const auto halo = std::find_if(operations.begin(), operations.end(), [](const auto& operation) {
      return operation.id == "conv/forward/halo";
    });
    REQUIRE(halo != operations.end());
    const OrderOfExecution order(operations);
    const OperationIndex index(halo - operations.begin());
    int interiors = 0;
    int strips = 0;
    for (const OperationIndex i : operations.indices()) {
      interiors += is_part(operations[i], "conv/forward/interior_") ? 1 : 0;
      strips += is_part(operations[i], "_strip_") ? 1 : 0;
      if (is_part(operations[i], "/interior_")) CHECK_FALSE(order.is_before(index, i));
      if (is_part(operations[i], "_strip_")) CHECK(order.is_before(index, i));
      if (is_part(operations[i], "conv/forward/")) CHECK(i >= index);
    }
    CHECK(interiors > 0);
    CHECK(strips >= interiors);
    CHECK(first_unordered_pair(operations) == "");
  }
}

// An operation that reads the inside of a buffer need not wait for the rows that are received
// around it.
TEST_CASE("lower: rows that are received around a block do not change the block") {
  int received = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = lower(random_row_plan(seed, 3), 1);
    for (const Operand& block : schedule.outputs) {
      for (const Operation& operation : schedule.operations) {
        const auto* transfer = std::get_if<TransferOperation>(&operation.body);
        const bool fills_rim = transfer != nullptr && transfer->source == block.buffer &&
                               transfer->destination == block.buffer && !transfer->accumulate;
        if (!fills_rim) continue;
        for (const Piece& piece : transfer->list.receives) {
          ++received;
          CHECK_FALSE(overlap(piece.box, block.box));
        }
      }
    }
  }
  CHECK(received > 0);
}

TEST_CASE("lower: a convolution stays whole if its halo is exchanged first") {
  Plan plan = rows(12, 1, "h3");
  plan.layers[convolution].halo = HaloMethod::exchange_first;
  const Schedule schedule = lower(plan, 1);
  CHECK(std::any_of(schedule.operations.begin(),
                    schedule.operations.end(),
                    [](const Operation& operation) { return operation.id == "conv/forward"; }));
}

}  // namespace cnnplan::test
