// Tests the lowered forward and backward pass: which blocks kernels read and write, and that a
// receiver expects what its sender sends.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_operands.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/schedule/schedule_builder.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

const Buffer& buffer_of(const Schedule& schedule, const Operand& operand) {
  return schedule.buffers.at(operand.buffer);
}

// Returns true for operands that have to be dense blocks, as KernelSpec documents.
bool is_dense(const KernelSpec& spec, std::size_t operand) {
  using enum KernelKind;
  if (spec.kind == convolution || spec.kind == pooling) return true;
  if (spec.kind != softmax_cross_entropy) return false;
  return operand == OperandPositions(spec)[OperandRole::probabilities];
}

// Says whether a box has no gaps in memory: inside the outermost dim with more than one element, it
// must be whole.
bool has_no_gaps(const Box& box, const Box& buffer) {
  constexpr std::array outermost_first{Dim::n, Dim::d, Dim::h, Dim::w, Dim::c};
  const auto cut = std::find_if(
      outermost_first.begin(), outermost_first.end(), [&](Dim dim) { return box[dim].size() > 1; });
  return std::all_of(
      cut, outermost_first.end(), [&](Dim dim) { return dim == *cut || box[dim] == buffer[dim]; });
}

std::string first_misplaced_operand(const Schedule& schedule) {
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    for (std::size_t i = 0; i < kernel->operands.size(); ++i) {
      const Operand& operand = kernel->operands[i];
      if (operand.first_slot >= 0) continue;
      const Box& box = buffer_of(schedule, operand).box;
      const bool dense = is_empty(operand.box) ? is_empty(box) : has_no_gaps(operand.box, box);
      if (!contains(box, operand.box) || (is_dense(kernel->spec, i) && !dense)) {
        return operation.id + ", operand " + std::to_string(i);
      }
    }
  }
  return "";
}

// Finds the operands of a kernel that are its input and its output block, where it has both.
struct Ends {
  std::size_t in = 0;
  std::size_t out = 0;
};

Ends ends_of(const KernelOperation& kernel) {
  using enum OperandRole;
  const OperandPositions positions(kernel.spec);
  return {.in = positions[positions.has(x) ? x : dx], .out = positions[positions.has(y) ? y : dy]};
}

// Names the first windowed kernel whose blocks have other shapes than its specification.
std::string first_wrong_shape(const Schedule& schedule) {
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    const KernelSpec& spec = kernel->spec;
    const bool moves = spec.kind == KernelKind::convolution || spec.kind == KernelKind::pooling ||
                       spec.kind == KernelKind::upsample || spec.kind == KernelKind::interpolate ||
                       spec.kind == KernelKind::channel_shuffle ||
                       spec.kind == KernelKind::pointwise;
    if (!moves) continue;
    const auto [in, out] = ends_of(*kernel);
    if (is_empty(kernel->operands[out].box)) continue;
    const bool fits = shape_of(kernel->operands[in].box) == spec.in &&
                      shape_of(kernel->operands[out].box) == spec.out;
    if (!fits) return operation.id;
  }
  return "";
}

// Holds the boxes between two ranks in order, by id, sender and receiver.
using Messages = std::map<std::tuple<std::string, int, int>, std::vector<Box>>;

struct Traffic {
  Messages sent;
  Messages received;
};

Traffic traffic_of(const std::vector<Schedule>& schedules) {
  Traffic traffic;
  for (const Schedule& schedule : schedules) {
    for (const Operation& operation : schedule.operations) {
      const auto* transfer = std::get_if<TransferOperation>(&operation.body);
      if (transfer == nullptr) continue;
      for (const Piece& piece : transfer->list.sends) {
        traffic.sent[{operation.id, schedule.rank, piece.peer}].push_back(piece.box);
      }
      for (const Piece& piece : transfer->list.receives) {
        traffic.received[{operation.id, piece.peer, schedule.rank}].push_back(piece.box);
      }
    }
  }
  return traffic;
}

bool all_inside(const std::vector<Piece>& pieces, const Box& box) {
  return std::all_of(
      pieces.begin(), pieces.end(), [&](const Piece& piece) { return contains(box, piece.box); });
}

std::string first_transfer_outside_its_buffers(const Schedule& schedule) {
  for (const Operation& operation : schedule.operations) {
    const auto* transfer = std::get_if<TransferOperation>(&operation.body);
    if (transfer == nullptr) continue;
    if (!all_inside(transfer->list.sends, source_box(schedule, *transfer)) ||
        !all_inside(transfer->list.receives, destination_box(schedule, *transfer))) {
      return operation.id;
    }
  }
  return "";
}

// Names the first read of a buffer in the arena that no operation has written before.
std::string first_read_of_nothing(const Schedule& schedule) {
  std::vector<bool> written(schedule.buffers.size(), false);
  for (const Operation& operation : schedule.operations) {
    for (const Operand& operand : operands_of(operation.body)) {
      const Buffer& buffer = buffer_of(schedule, operand);
      const bool in_step = buffer.role == BufferRole::activation ||
                           buffer.role == BufferRole::error_signal ||
                           buffer.role == BufferRole::data || buffer.role == BufferRole::labels;
      const bool holds_something = written[operand.buffer];
      if (in_step && !operand.written && !holds_something && buffer.bytes > 0) {
        return operation.id + " of " + buffer.name;
      }
    }
    for (const Operand& operand : operands_of(operation.body)) {
      if (operand.written) written[operand.buffer] = true;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Lowering: operands lie in their buffers, dense where kernels want it") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) {
      CHECK(first_misplaced_operand(schedule) == "");
      CHECK(first_wrong_shape(schedule) == "");
    }
  }
}

TEST_CASE("Lowering: no buffer is read before it was written") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) CHECK(first_read_of_nothing(schedule) == "");
  }
}

TEST_CASE("Lowering: a rank expects the messages that another sends, in the same order") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const auto schedules = lower_all(plan);
    const Traffic traffic = traffic_of(schedules);
    CHECK(traffic.sent == traffic.received);
    for (const Schedule& schedule : schedules) {
      CHECK(first_transfer_outside_its_buffers(schedule) == "");
    }
  }
}

TEST_CASE("Lowering: a gate is sent to ranks with other positions, and its gradients are added") {
  const Plan plan = uniform_plan(gated_network(), 3, parse_mesh("h2"));
  const Box gate = whole({{3, 4, 1, 1, 1}});
  int gates = 0;
  int gradients = 0;
  for (const Operation& operation : lower(plan, 1).operations) {
    const auto* transfer = std::get_if<TransferOperation>(&operation.body);
    if (transfer != nullptr && plan.network.layer(operation.layer).name == "gated") {
      for (const Piece& piece : transfer->list.receives) gates += piece == Piece{0, gate} ? 1 : 0;
      for (const Piece& piece : transfer->list.sends) gradients += piece == Piece{0, gate} ? 1 : 0;
    }
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || plan.network.layer(operation.layer).name != "gated") continue;
    if (kernel->spec.kind != KernelKind::pointwise) continue;  // Gradients are added up, too.
    CHECK(kernel->spec.in == Shape{{3, 4, 1, 1, 1}});
    CHECK(kernel->spec.out == Shape{{3, 4, 1, 4, 8}});
    const bool is_forward = kernel->spec.phase == KernelPhase::forward;
    // Forward: image, gate, output. Backward: the same, and the gradients of image and gate.
    const double elements = is_forward ? 2 * 384 + 12 : 3 * 384 + 2 * 12;
    CHECK(bytes(kernel->spec) == 4 * elements);
  }
  CHECK(gates == 1);
  CHECK(gradients == 1);
}

TEST_CASE("Lowering: only the halo around the own block is received") {
  const Network network(
      "halo",
      {{"data", {}, Input{.channels = 2, .size = {1, 8, 8}}},
       {"conv1", {"data"}, Convolution{.filters = 2}},
       {"bn", {"conv1"}, BatchNorm{}},
       {"relu", {"bn"}, Relu{}},
       {"conv2",
        {"relu"},
        Convolution{.filters = 2,
                    .window = {{WindowDim{},
                                WindowDim{.kernel = 3, .padding_begin = 1, .padding_end = 1},
                                WindowDim{}}}}},
       {"loss", {"conv2"}, SoftmaxCrossEntropy{}}});
  const Schedule schedule = lower(uniform_plan(network, 3, parse_mesh("h2")), 0);
  const auto operation = std::find_if(schedule.operations.begin(),
                                      schedule.operations.end(),
                                      [](const auto& o) { return o.id == "conv2/forward/halo"; });
  REQUIRE(operation != schedule.operations.end());
  const auto& transfer = std::get<TransferOperation>(operation->body);
  CHECK(transfer.source == transfer.destination);
  Box row = whole({{3, 2, 1, 8, 8}});
  row[Dim::h] = {4, 5};
  CHECK(transfer.list.receives == std::vector{Piece{1, row}});
  row[Dim::h] = {3, 4};
  CHECK(transfer.list.sends == std::vector{Piece{1, row}});
}

}  // namespace cnnplan::test
