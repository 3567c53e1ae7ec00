// Tests which elements buffers and operands have in each precision of a plan.
#include <algorithm>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_operands.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

const Buffer& buffer_of(const Schedule& schedule, const Operand& operand) {
  return schedule.buffers[operand.buffer];
}

// Returns the operand as the table of kernels has it. An operation does not name the role.
KernelOperand described(const Schedule& schedule, const Operand& operand, OperandRole role) {
  return {.role = role,
          .element = buffer_of(schedule, operand).element,
          .elements = volume(operand.box),
          .written = operand.written};
}

// No backward pass reads the masks of an inference, so they are empty.
std::vector<KernelOperand> expected_operands(const KernelSpec& spec, Pass pass) {
  std::vector<KernelOperand> operands = kernel_operands(spec);
  for (KernelOperand& operand : operands) {
    const bool is_mask = operand.role == OperandRole::mask;
    if (is_mask && pass == Pass::inference) operand.elements = 0;
  }
  return operands;
}

void check_operands(const Schedule& schedule, Pass pass) {
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    CAPTURE(operation.id);
    const std::vector<KernelOperand> expected = expected_operands(kernel->spec, pass);
    REQUIRE(kernel->operands.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(described(schedule, kernel->operands[i], expected[i].role) == expected[i]);
    }
  }
}

Schedule lenet_in(Precision precision) {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("h2"));
  plan.precision = precision;
  return lower(plan, 1);
}

std::int64_t sum_of_bytes(const Schedule& schedule, BufferRole role) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : schedule.buffers) bytes += buffer.role == role ? buffer.bytes : 0;
  return bytes;
}

std::int64_t sum_of_staging(const Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const Operation& operation : schedule.operations)
    bytes += staging_bytes(schedule, operation);
  return bytes;
}

}  // namespace

TEST_CASE("Lowering: operands are what the table of kernels says, in single, double and half") {
  for (NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    for (Precision precision : {Precision::fp32, Precision::fp64, Precision::bf16}) {
      CAPTURE(to_text(precision));
      named.plan.precision = precision;
      check_operands(lower(named.plan, 0), Pass::training);
      check_operands(lower(named.plan, named.plan.ranks - 1, {.pass = Pass::inference}),
                     Pass::inference);
    }
  }
}

TEST_CASE("Lowering: 16 bits halve activations, error signals and samples, and nothing else") {
  const Schedule single = lenet_in(Precision::fp32);
  for (Precision precision : {Precision::bf16, Precision::fp16}) {
    const Schedule half = lenet_in(precision);
    for (BufferRole role : {BufferRole::activation, BufferRole::error_signal, BufferRole::data}) {
      CHECK(2 * sum_of_bytes(half, role) == sum_of_bytes(single, role));
    }
    for (BufferRole role : {BufferRole::scratch,
                            BufferRole::labels,
                            BufferRole::loss,
                            BufferRole::weights,
                            BufferRole::gradients,
                            BufferRole::momentum,
                            BufferRole::running}) {
      CHECK(sum_of_bytes(half, role) == sum_of_bytes(single, role));
    }
    REQUIRE(sum_of_staging(single) > 0);
    CHECK(2 * sum_of_staging(half) == sum_of_staging(single));
    const std::int64_t copies = sum_of_bytes(half, BufferRole::weight_copies);
    CHECK(2 * copies == sum_of_bytes(half, BufferRole::weights));
    // Weights, gradients and momentum have four bytes for an element, and copies have two.
    const std::int64_t parameters = memory_of(single).parameters_bytes;
    CHECK(6 * (memory_of(half).parameters_bytes - parameters) == parameters);
  }
}

TEST_CASE("Lowering: tf32 is lowered as fp32") {
  const Schedule single = lenet_in(Precision::fp32);
  const Schedule rounded = lenet_in(Precision::tf32);
  CHECK(rounded.weight_copies == -1);
  CHECK(memory_of(rounded) == memory_of(single));
  CHECK(rounded.operations.size() == single.operations.size());
}

TEST_CASE("Lowering: convolutions read the copies of weights, updates write them") {
  const Schedule schedule = lenet_in(Precision::bf16);
  std::vector<int> read(schedule.slots.size(), 0);
  std::vector<int> written(schedule.slots.size(), 0);
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    for (const Operand& operand : kernel->operands) {
      if (operand.buffer != schedule.weight_copies) continue;
      const bool update = kernel->spec.kind == KernelKind::sgd;
      CHECK(operand.written == update);
      for (SlotIndex slot = operand.first_slot; slot <= operand.last_slot; ++slot) {
        ++(update ? written : read)[slot];
      }
    }
  }
  CHECK(written == std::vector<int>(schedule.slots.size(), 1));
  int input_layers = 0;  // without backward_data
  for (const SlotIndex i : schedule.slots.indices()) {
    const bool is_weight = schedule.slots[i].role == ParameterRole::weight;
    if (is_weight && read[i] == 1) ++input_layers;
    CHECK((is_weight ? read[i] >= 1 && read[i] <= 2 : read[i] == 0));
  }
  CHECK(input_layers == 1);
}

TEST_CASE("Lowering: an update of copies waits for the convolutions that read them") {
  const Schedule schedule = lenet_in(Precision::fp16);
  std::vector<OperationIndex> readers;
  for (const OperationIndex i : schedule.operations.indices()) {
    const Operation& operation = schedule.operations[i];
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    if (kernel->spec.kind == KernelKind::sgd) {
      const auto& depends = operation.depends_on;
      CHECK(readers.size() > 1);  // one bucket holds all
      CHECK(std::includes(depends.begin(), depends.end(), readers.begin(), readers.end()));
    } else if (kernel->operands[1].buffer == schedule.weight_copies) {
      readers.push_back(i);
    }
  }
}

}  // namespace cnnplan::test
