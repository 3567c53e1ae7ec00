// Tests the prices of single operations: kernels, transfers, collectives and loads.
#include "planner/predict/price.hpp"

#include <array>

#include <doctest/doctest.h>

#include "planner/cost/collectives.hpp"
#include "planner/cost/links.hpp"
#include "tests/planner/predict/hand_made.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

KernelSpec relu_of(std::int64_t rows) {
  KernelSpec spec{.kind = KernelKind::relu};
  spec.in = spec.out = {{1, 4, 1, rows, 8}};
  return spec;
}

Platform small_platform() {
  Platform platform = default_platform(4);
  platform.launch_s = 0.25;
  platform.copy_s_per_byte = 1e-3;
  platform.gamma_s_per_byte = 1e-4;
  return platform;
}

// The profile has only the kernel of relu_of(8).
Profile small_profile() {
  Profile profile;
  profile.kernels[relu_of(8)] = {.repetitions = 10,
                                 .median_s = 2.0,
                                 .mean_s = 2.5,
                                 .stddev_s = 0.5,
                                 .min_s = 1.5,
                                 .workspace_bytes = 99};
  return profile;
}

Price price_of(const Schedule& schedule, OperationBody body) {
  const Platform platform = small_platform();
  const KernelCosts kernels(small_profile());
  return PriceList(platform, kernels)(schedule, Operation{.id = "x", .body = std::move(body)});
}

// Returns a schedule with buffers 0 and 1. Buffer 1 has one more row of the image.
Schedule schedule_with_buffers() {
  Schedule schedule{.rank = 1, .ranks = 4};
  schedule.buffers.push_back({.box = whole({{1, 4, 1, 8, 8}}), .bytes = 1024});
  schedule.buffers.push_back({.box = whole({{1, 4, 1, 9, 8}}), .bytes = 1152});
  return schedule;
}

// Returns a plan of two convolutions that exchange halos.
Plan halo_plan(const char* mesh) {
  const WindowDim three{.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Convolution convolution{.filters = 8, .window = {{WindowDim{}, three, three}}};
  return uniform_plan(Network("halos",
                              {{"data", {}, Input{.channels = 8, .size = {1, 64, 64}}},
                               {"conv1", {"data"}, convolution},
                               {"conv2", {"conv1"}, convolution},
                               {"loss", {"conv2"}, SoftmaxCrossEntropy{}}}),
                      1,
                      parse_mesh(mesh));
}

// Returns the sum over all transfers of a rank, on nodes of two ranks. `shared_by` ranks share a
// port.
double transfers_s(const Plan& plan, int rank, int shared_by) {
  Platform platform = default_platform(plan.ranks);
  const Segment segment{.max_bytes = 1 << 30, .alpha_s = 1e-7, .beta_s_per_byte = 1e-9};
  platform.levels = {{.name = "node", .ranks_per_group = 2, .segments = {segment}},
                     {.name = "cluster",
                      .ranks_per_group = plan.ranks,
                      .segments = {segment},
                      .shared_by = shared_by}};
  const KernelCosts kernels;
  const PriceList prices(platform, kernels);
  const Schedule schedule = lower(plan, rank);
  double sum_s = 0.0;
  for (const Operation& operation : schedule.operations) {
    const bool is_transfer = std::holds_alternative<TransferOperation>(operation.body);
    if (is_transfer) sum_s += prices(schedule, operation).seconds;
  }
  return sum_s;
}

}  // namespace

TEST_CASE("PriceList: a port is shared by the ranks that have messages for it") {
  for (int rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    const Plan one_of_each = halo_plan("h4");  // ranks 1 and 2 are neighbours on two nodes
    CHECK(transfers_s(one_of_each, rank, 2) == transfers_s(one_of_each, rank, 1));
    const Plan both = halo_plan("h2w2");
    CHECK(transfers_s(both, rank, 2) > 1.1 * transfers_s(both, rank, 1));
  }
}

TEST_CASE(
    "PriceList: traffic has the price of its operation, also on a platform with other times") {
  const Platform platform = default_platform(4);
  Platform slower = platform;
  slower.levels[0].segments[0].alpha_s *= 3;
  slower.copy_s_per_byte *= 2;
  const KernelCosts kernels;
  const PriceList prices(platform, kernels);
  const PriceList others(slower, prices);
  int count = 0;
  for (const Schedule& schedule : lower(halo_plan("h2w2"), std::array{0, 3})) {
    for (const Operation& operation : schedule.operations) {
      if (!is_communication(operation)) continue;
      const Traffic traffic = prices.traffic_of(schedule, operation);
      CHECK(prices(traffic).seconds == prices(schedule, operation).seconds);
      CHECK(others(traffic).seconds == others(schedule, operation).seconds);
      CHECK(others(traffic).seconds > prices(traffic).seconds);
      ++count;
    }
  }
  CHECK(count > 4);
}

TEST_CASE("PriceList: a profiled kernel costs its median, which includes the launch") {
  const Price price = price_of({}, KernelOperation{.spec = relu_of(8)});
  CHECK(price.seconds == 2.0);
  CHECK(price.low_s == 1.5);
  CHECK(price.high_s == 3.0);
  CHECK_FALSE(price.estimated);
  CHECK(price.workspace_bytes == 99);
}

TEST_CASE("PriceList: an estimate includes the launch, too") {
  const Price price = price_of({}, KernelOperation{.spec = relu_of(100)});
  const KernelCosts kernels(small_profile());
  const KernelTime time = kernels.lookup(relu_of(100));
  CHECK(price.estimated);
  CHECK(price.seconds == time.seconds);
  CHECK(price.low_s == time.low_s);
  CHECK(price.high_s == time.high_s);
}

TEST_CASE("PriceList: the time to move data is estimated unless the platform was measured") {
  const KernelCosts kernels(small_profile());
  Platform platform = small_platform();
  int moving = 0;
  for (const bool is_measured : {false, true}) {
    platform.measured = is_measured;
    const PriceList prices(platform, kernels);
    const Schedule schedule = lower(halo_plan("h2n2"), 0);
    for (const Operation& operation : schedule.operations) {
      if (std::holds_alternative<KernelOperation>(operation.body)) continue;
      const Price price = prices(schedule, operation);
      CAPTURE(operation.id);
      CHECK(price.estimated == (!is_measured && price.seconds > 0.0));
      moving += price.estimated ? 1 : 0;
    }
  }
  CHECK(moving > 4);
}

TEST_CASE("PriceList: a transfer costs what its messages and copies cost") {
  Box row = whole({{1, 4, 1, 9, 8}});
  row[Dim::h] = {4, 5};
  TransferOperation transfer{.source = BufferIndex(0), .destination = BufferIndex(1)};
  transfer.list.sends = transfer.list.receives = {{.peer = 0, .box = row}};
  for (const bool accumulate : {false, true}) {
    transfer.accumulate = transfer.zero_first = accumulate;
    const Schedule schedule = schedule_with_buffers();
    const double expected_s = transfer_time(small_platform(),
                                            transfer.list,
                                            1,
                                            {.source_box = schedule.buffers.front().box,
                                             .destination_box = schedule.buffers.back().box,
                                             .accumulate = accumulate,
                                             .zero_first = accumulate})
                                  .total_s();
    const Price price = price_of(schedule, transfer);
    CHECK(price.seconds == expected_s);
    CHECK(price.low_s == expected_s);
    CHECK(price.high_s == expected_s);
  }
}

TEST_CASE("PriceList: a transfer of doubles moves twice the bytes, of 16 bits half of them") {
  Schedule schedule = schedule_with_buffers();
  TransferOperation transfer{.source = BufferIndex(0), .destination = BufferIndex(0)};
  transfer.list.receives = {{.peer = 1, .box = schedule.buffers.front().box}};
  const double single_s = price_of(schedule, transfer).seconds;
  schedule.buffers.front().element = BufferElement::fp64;
  CHECK(price_of(schedule, transfer).seconds == relative(2 * single_s, 1e-12));
  schedule.buffers.front().element = BufferElement::bf16;
  CHECK(price_of(schedule, transfer).seconds == relative(0.5 * single_s, 1e-12));
}

TEST_CASE("PriceList: a collective costs by its group, bytes and algorithm") {
  for (AllreduceAlgorithm algorithm : {AllreduceAlgorithm::ring, AllreduceAlgorithm::library}) {
    CollectiveOperation collective{.algorithm = algorithm,
                                   .group = RankGroup(0, 4),
                                   .operand = {},
                                   .element = ElementType::fp64,
                                   .elements = 1000};
    const auto expected = [&](double bytes) {
      const GroupLinks links = links_of(small_platform(), collective.group, 4);
      return allreduce_time_s(small_platform(), links, bytes, algorithm);
    };
    CHECK(price_of({.ranks = 4}, collective).seconds == expected(8000));
    collective.element = ElementType::fp32;
    CHECK(price_of({.ranks = 4}, collective).seconds == expected(4000));
  }
}

TEST_CASE("PriceList: loading costs the copy of the samples, not of the halo around them") {
  Schedule schedule = schedule_with_buffers();
  schedule.data_box = schedule.buffers.front().box;
  const LoadOperation load{.data = BufferIndex(1), .labels = {BufferIndex(0)}};
  CHECK(price_of(schedule, load).seconds == relative(1.024));
  schedule.buffers.back().element = BufferElement::fp64;
  CHECK(price_of(schedule, load).seconds == relative(2.048));
  schedule.buffers.back().element = BufferElement::fp16;
  CHECK(price_of(schedule, load).seconds == relative(0.512));
}

TEST_CASE("peers: lists each peer of a transfer once") {
  TransferOperation transfer;
  for (int peer : {3, 1, 2}) transfer.list.sends.push_back({.peer = peer, .box = {}});
  for (int peer : {0, 1}) transfer.list.receives.push_back({.peer = peer, .box = {}});
  CHECK(peers({.id = "x", .body = transfer}) == std::vector{0, 1, 2, 3});
  CHECK(peers({.id = "x", .body = KernelOperation{}}).empty());
}

TEST_CASE("waits_for_others: for peers and groups, not for the rank itself") {
  const auto waits = [](OperationBody body) {
    return waits_for_others({.id = "x", .body = std::move(body)}, 2);
  };
  TransferOperation transfer;
  transfer.list.sends.push_back({.peer = 2, .box = {}});
  CHECK_FALSE(waits(transfer));
  transfer.list.receives.push_back({.peer = 1, .box = {}});
  CHECK(waits(transfer));
  CHECK(waits(CollectiveOperation{.group = RankGroup(0, 2, 2), .operand = {}}));
  CHECK_FALSE(waits(CollectiveOperation{.group = RankGroup(2, 1), .operand = {}}));
  CHECK_FALSE(waits(KernelOperation{}));
}

TEST_CASE("priced: one price for every operation") {
  const Platform platform = small_platform();
  const KernelCosts kernels(small_profile());
  Schedule schedule = schedule_with_buffers();
  schedule.operations.push_back({.id = "a", .body = KernelOperation{.spec = relu_of(8)}});
  schedule.data_box = schedule.buffers.front().box;
  schedule.operations.push_back(
      {.id = "b", .body = LoadOperation{.data = BufferIndex(0), .labels = {BufferIndex(0)}}});
  const PricedSchedule result = priced(schedule, PriceList(platform, kernels));
  CHECK(result.schedule.operations.size() == 2);
  REQUIRE(result.prices.size() == 2);
  CHECK(result.prices.front().seconds == 2.0);
  CHECK(result.prices.back().seconds == relative(1.024));
}

}  // namespace cnnplan::test
