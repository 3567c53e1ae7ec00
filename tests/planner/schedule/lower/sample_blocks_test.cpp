// Tests how plans whose sums are made by blocks of samples are lowered.
#include "planner/plan/sample_blocks.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

Plan lenet_plan(int ranks) {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 8, sample_mesh(ranks));
  plan.gradient_allreduce = plan.statistics_allreduce = AllreduceAlgorithm::recursive_doubling;
  plan.sample_blocks = 4;
  return plan;
}

std::vector<std::string> ids_of(const Schedule& schedule, const std::string& begin) {
  std::vector<std::string> ids;
  for (const Operation& operation : schedule.operations) {
    if (operation.id.starts_with(begin)) ids.push_back(operation.id.substr(begin.size()));
  }
  return ids;
}

bool is_by_samples(const KernelSpec& spec) {
  const bool normalises = spec.kind == KernelKind::batch_norm && spec.phase == KernelPhase::forward;
  return spec.kind != KernelKind::sgd && !normalises &&
         (spec.kind != KernelKind::accumulate || spec.in[Dim::n] > 1);
}

// Returns how often a rank runs each kernel that sees samples. Sums of gradients have at most one
// sample.
std::map<std::string, int> kernels_of(const Schedule& schedule) {
  std::map<std::string, int> counts;
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr && is_by_samples(kernel->spec)) ++counts[to_text(kernel->spec)];
  }
  return counts;
}

}  // namespace

TEST_CASE("Sample blocks: a sum waits for its other half, level by level") {
  const std::vector<std::string> expected{"block_0",
                                          "block_1",
                                          "sum_0_1/2",
                                          "sum_0_1/3",
                                          "block_2",
                                          "block_3",
                                          "sum_2_3/2",
                                          "sum_2_3/3",
                                          "sum_0_3/2",
                                          "sum_0_3/3"};
  CHECK(ids_of(lower(lenet_plan(1), 0), "conv2/backward_filter/") == expected);
  CHECK(ids_of(lower(lenet_plan(2), 1), "conv2/backward_filter/") ==
        std::vector<std::string>(expected.begin(), expected.begin() + 4));
  CHECK(ids_of(lower(lenet_plan(4), 3), "conv2/backward_filter").size() == 1);
  CHECK(ids_of(lower(lenet_plan(1), 0), "conv2/forward/").size() == 4);
}

TEST_CASE("Sample blocks: kernels have the same shapes on any number of ranks") {
  for (const NamedPlan& named : block_plans(30)) {
    // If a block is one sample, sums of error signals look like sums of gradients.
    if (named.plan.batch == named.plan.sample_blocks) continue;
    CAPTURE(named.name);
    Plan alone = on_one_rank(named.plan);
    for (const LayerIndex i : alone.layers.indices()) {
      alone.layers[i].recompute = named.plan.layers[i].recompute;
    }
    auto own = kernels_of(lower(named.plan, named.plan.ranks - 1));
    for (auto& [spec, count] : own) count *= named.plan.ranks;
    CHECK(own == kernels_of(lower(alone, 0)));
  }
}

TEST_CASE("Sample blocks: convolutions begin inside of buffers, and without blocks they do not") {
  for (const int ranks : {1, 2, 4}) {
    Plan plan = lenet_plan(ranks);
    for (const int blocks : {plan.sample_blocks, 1}) {
      plan.sample_blocks = blocks;
      CAPTURE(ranks);
      CAPTURE(blocks);
      for (const Operation& operation : lower(plan, 0).operations) {
        const auto* kernel = std::get_if<KernelOperation>(&operation.body);
        if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
        CHECK(kernel->constants.begins_inside == (blocks > 1));
      }
    }
  }
}

TEST_CASE("Sample blocks: a level of the tree has room for the largest weight") {
  const Plan plan = lenet_plan(1);
  const Schedule schedule = lower(plan, 0);
  std::int64_t largest = 0;
  for (const ParameterSlot& slot : schedule.slots) largest = std::max(largest, slot.elements);
  int levels = 0;
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.role != BufferRole::gradient_part) continue;
    ++levels;
    CHECK(volume(buffer.box) == largest);
  }
  CHECK(levels == 2);
}

}  // namespace cnnplan::test
