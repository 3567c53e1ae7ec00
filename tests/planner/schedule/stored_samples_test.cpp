// Tests which samples a GPU stores with channels of zeros, and who reads them.
#include "planner/schedule/stored_samples.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/rank_memory.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

Plan resnet50_on(const std::string& mesh, Precision precision) {
  Plan plan = uniform_plan(read_network("configs/networks/resnet50.json"), 8, parse_mesh(mesh));
  plan.precision = precision;
  return plan;
}

std::int64_t activations(const Schedule& schedule, DeviceKind device) {
  return memory_of(schedule, {.device = device}).activations_bytes;
}

// Returns a network whose samples have `channels` channels, and whose first convolution has
// `groups` groups. If `has_two_readers`, another convolution reads the samples, too.
Network chain_of(std::int64_t channels, std::int64_t groups, bool has_two_readers) {
  Convolution convolution{.filters = 4 * groups, .groups = groups};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  Convolution again = convolution;
  again.groups = 1;
  const char* const source = has_two_readers ? "input" : "conv1";
  return Network("chain",
                 {{"input", {}, Input{.channels = channels, .size = {1, 8, 6}}},
                  {"conv1", {"input"}, convolution},
                  {"conv2", {source}, again},
                  {"sum", {"conv1", "conv2"}, Add{}},
                  {"fc", {"sum"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Returns how many channels the samples have on a GPU.
std::int64_t stored_by(const Network& network, Precision precision) {
  Plan plan = uniform_plan(network, 2, Mesh());
  plan.precision = precision;
  const Schedule schedule = lower(plan, 0);
  return stored_box(schedule, schedule.data, DeviceKind::gpu)[Dim::c].size();
}

bool touches(const Schedule& schedule, const OperationBody& body, BufferIndex buffer) {
  if (buffer < 0 || schedule.buffers[buffer].role != BufferRole::data) return false;
  if (const auto* transfer = std::get_if<TransferOperation>(&body)) {
    return transfer->source == buffer || transfer->destination == buffer;
  }
  const auto* kernel = std::get_if<KernelOperation>(&body);
  return kernel != nullptr &&
         std::any_of(kernel->operands.begin(), kernel->operands.end(), [&](const Operand& operand) {
           return operand.buffer == buffer;
         });
}

bool uses_weight_of(const Schedule& schedule, const KernelOperation& kernel, LayerIndex layer) {
  return kernel.spec.kind == KernelKind::convolution &&
         std::any_of(kernel.operands.begin(), kernel.operands.end(), [&](const Operand& operand) {
           return operand.first_slot >= 0 && schedule.slots[operand.first_slot].layer == layer &&
                  schedule.slots[operand.first_slot].role == ParameterRole::weight;
         });
}

}  // namespace

TEST_CASE("Stored samples: fewer than 8 channels are stored as 8, in 16 bits on a GPU") {
  for (const Precision half : {Precision::bf16, Precision::fp16}) {
    CHECK(stored_by(chain_of(1, 1, false), half) == 8);
    CHECK(stored_by(chain_of(5, 1, false), half) == 8);
    CHECK(stored_by(chain_of(8, 1, false), half) == 8);
    CHECK(stored_by(chain_of(9, 1, false), half) == 9);
    CHECK(stored_by(chain_of(4, 2, false), half) == 4);
    CHECK(stored_by(chain_of(3, 1, true), half) == 3);
  }
  CHECK(stored_by(chain_of(3, 1, false), Precision::tf32) == 3);
  CHECK(stored_by(chain_of(3, 1, false), Precision::fp64) == 3);
}

TEST_CASE("Stored samples: a rank needs the memory of the zeros, with those of its halo") {
  for (const std::string mesh : {"n2", "h2"}) {
    CAPTURE(mesh);
    const Schedule schedule = lower(resnet50_on(mesh, Precision::bf16), 0);
    const std::int64_t samples = schedule.buffers[schedule.data].bytes;
    CHECK(volume(schedule.data_box) * 2 == samples);
    const std::int64_t added =
        activations(schedule, DeviceKind::gpu) - activations(schedule, DeviceKind::cpu);
    CHECK(3 * added == 5 * samples);
    CHECK(kept_bytes(schedule, DeviceKind::gpu)[LayerIndex(0)] ==
          kept_bytes(schedule)[LayerIndex(0)] + added);
    const Schedule wide = lower(resnet50_on(mesh, Precision::tf32), 0);
    CHECK(activations(wide, DeviceKind::gpu) == activations(wide, DeviceKind::cpu));
  }
}

TEST_CASE("Stored samples: the reader's kernels alone read them, and all ranks agree on it") {
  std::vector<NamedPlan> plans = random_plans(12);
  for (NamedPlan& plan : chain_plans(4)) plans.push_back(std::move(plan));
  int readers = 0;
  for (NamedPlan& named : plans) {
    CAPTURE(named.name);
    named.plan.precision = Precision::bf16;
    const std::vector<Schedule> schedules = lower_all(named.plan);
    const LayerIndex reader = schedules.front().data_reader;
    readers += reader >= 0 ? 1 : 0;
    for (const Schedule& schedule : schedules) {
      REQUIRE(schedule.data_reader == reader);
      for (const Operation& operation : schedule.operations) {
        const auto* kernel = std::get_if<KernelOperation>(&operation.body);
        const bool reads = reader >= 0 && touches(schedule, operation.body, schedule.data);
        const bool has_weight = kernel != nullptr && reader >= 0 && volume(kernel->spec.in) > 0 &&
                                uses_weight_of(schedule, *kernel, reader);
        CHECK(reads == has_weight);
        if (!reads || !has_weight) continue;
        const KernelSpec stored = stored_spec(schedule, *kernel, DeviceKind::gpu);
        CHECK(stored.in[Dim::c] ==
              stored_box(schedule, schedule.data, DeviceKind::gpu)[Dim::c].size());
      }
    }
  }
  CHECK(readers > 0);  // some of the random plans have a reader, and some have none
  CHECK(readers < std::ssize(plans));
}

}  // namespace cnnplan::test
