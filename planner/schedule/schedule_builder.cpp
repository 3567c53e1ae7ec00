// Derives dependencies from the order in which operations read and write.
#include "planner/schedule/schedule_builder.hpp"

#include <algorithm>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// A block with a rim has these two parts. A block without one is all inside.
constexpr int inside = 0;
constexpr int rim = 1;

// True where received blocks are written, not added, into the buffer that they are sent from. Such
// a transfer fills the rim around what stays there.
bool fills_rim(const TransferOperation& transfer) {
  return transfer.source >= 0 && transfer.source == transfer.destination && !transfer.accumulate &&
         !transfer.zero_first;
}

Operand whole_buffer(BufferIndex index, bool written) {
  return {.buffer = index, .box = {}, .written = written};
}

// Calls `use` with every operand of an operation.
template <typename Use>
void visit_operands(const KernelOperation& kernel, Use&& use) {
  for (const Operand& operand : kernel.operands) use(operand);
}
template <typename Use>
void visit_operands(const TransferOperation& transfer, Use&& use) {
  if (transfer.source >= 0) use(whole_buffer(transfer.source, false));
  if (transfer.destination >= 0) use(whole_buffer(transfer.destination, true));
}
template <typename Use>
void visit_operands(const CollectiveOperation& collective, Use&& use) {
  use(collective.operand);
}
template <typename Use>
void visit_operands(const LoadOperation& load, Use&& use) {
  use(whole_buffer(load.data, true));
  for (const BufferIndex labels : load.labels) use(whole_buffer(labels, true));
}

}  // namespace

std::vector<Operand> operands_of(const OperationBody& body) {
  std::vector<Operand> operands;
  const auto append = [&](const Operand& operand) { operands.push_back(operand); };
  std::visit([&](const auto& kind) { visit_operands(kind, append); }, body);
  return operands;
}

ScheduleBuilder::ScheduleBuilder(int rank, int ranks, Dependencies dependencies)
    : derives_dependencies_(dependencies == Dependencies::derived) {
  schedule_.rank = rank;
  schedule_.ranks = ranks;
}

void ScheduleBuilder::reserve(std::size_t operations) {
  schedule_.operations.reserve(operations);
  schedule_.buffers.reserve(operations);
  if (!derives_dependencies_) return;
  uses_.reserve(operations);
  inner_.reserve(operations);
}

BufferIndex ScheduleBuilder::add_buffer(std::string name,
                                        BufferRole role,
                                        BufferElement element,
                                        const Box& box) {
  Buffer buffer{.name = std::move(name), .role = role, .element = element, .box = box};
  buffer.bytes = checked_multiply(volume(box), bytes_of(element));
  if (derives_dependencies_) {
    uses_.push_back({});
    inner_.push_back({});
  }
  return schedule_.buffers.push_back(std::move(buffer));
}

void ScheduleBuilder::set_rim(BufferIndex index, const Box& inner) {
  if (derives_dependencies_ && buffer(index).box != inner) inner_[index] = inner;
}

BufferIndex ScheduleBuilder::add_flat(std::string name,
                                      BufferRole role,
                                      BufferElement element,
                                      std::int64_t elements) {
  return add_buffer(std::move(name), role, element, whole({{1, 1, 1, 1, elements}}));
}

SlotIndex ScheduleBuilder::add_slot(const ParameterSlot& slot) {
  return schedule_.slots.push_back(slot);
}

Operand ScheduleBuilder::read(BufferIndex index) const {
  return {.buffer = index, .box = buffer(index).box};
}

Operand ScheduleBuilder::write(BufferIndex index) const {
  return as_written(read(index));
}

Operand ScheduleBuilder::slots(BufferIndex arena,
                               SlotIndex first,
                               SlotIndex last,
                               bool written) const {
  std::int64_t elements = 0;
  for (SlotIndex i = first; i <= last; ++i) elements = checked_add(elements, slot(i).elements);
  return {.buffer = arena,
          .box = whole({{1, 1, 1, 1, elements}}),
          .first_slot = first,
          .last_slot = last,
          .written = written};
}

void ScheduleBuilder::use(BufferIndex buffer,
                          int part,
                          bool written,
                          OperationIndex operation,
                          std::vector<OperationIndex>& depends) {
  auto& parts = uses_[buffer];
  if (std::ssize(parts) <= part) parts.resize(part + 1);
  Uses& uses = parts[part];
  if (uses.writer >= 0 && uses.writer != operation) depends.push_back(uses.writer);
  if (!written) {
    uses.readers.push_back(operation);
    return;
  }
  for (OperationIndex reader : uses.readers) {
    if (reader != operation) depends.push_back(reader);
  }
  uses.writer = operation;
  uses.readers.clear();
}

std::pair<int, int> ScheduleBuilder::parts_of(const Operand& operand) const {
  const bool is_arena =
      operand.first_slot >= 0 && buffer(operand.buffer).role != BufferRole::gradient_part;
  if (is_arena) return {operand.first_slot, operand.last_slot};
  const std::optional<Box>& inner = inner_[operand.buffer];
  if (!inner) return {inside, inside};
  const bool is_inside = !is_empty(operand.box) && contains(*inner, operand.box);
  return {inside, is_inside ? inside : rim};
}

void ScheduleBuilder::use(const Operand& operand,
                          OperationIndex operation,
                          std::vector<OperationIndex>& depends) {
  if (derives_dependencies_) {
    const auto [first, last] = parts_of(operand);
    for (int part = first; part <= last; ++part) {
      use(operand.buffer, part, operand.written, operation, depends);
    }
  }
  if (operand.first_slot < 0 || buffer(operand.buffer).role == BufferRole::gradient_part) {
    keep(operand.buffer, operation);
  }
}

// A transfer sends from the inside of its source.
void ScheduleBuilder::use(const TransferOperation& transfer,
                          OperationIndex operation,
                          std::vector<OperationIndex>& depends) {
  if (transfer.source >= 0) {
    if (derives_dependencies_) use(transfer.source, inside, false, operation, depends);
    keep(transfer.source, operation);
  }
  const bool has_rim =
      derives_dependencies_ && transfer.destination >= 0 && inner_[transfer.destination];
  if (fills_rim(transfer) && has_rim) {
    use(transfer.destination, rim, true, operation, depends);
  } else if (transfer.destination >= 0) {
    use(whole_buffer(transfer.destination, true), operation, depends);
  }
}

void ScheduleBuilder::keep(BufferIndex index, OperationIndex operation) {
  Buffer& buffer = schedule_.buffers[index];
  if (buffer.first_use < 0) buffer.first_use = operation;
  buffer.last_use = operation;
}

void ScheduleBuilder::add_operation(
    LabelledId named, LayerIndex layer, Stream stream, OperationBody&& body, int lane) {
  const OperationIndex index = schedule_.operations.end_index();
  Operation operation{.id = std::move(named.id),
                      .label = named.label,
                      .layer = layer,
                      .stream = stream,
                      .lane = lane,
                      .body = std::move(body)};
  schedule_.lanes = std::max(schedule_.lanes, lane + 1);
  const auto use_one = [&](const Operand& operand) { use(operand, index, operation.depends_on); };
  if (const auto* transfer = std::get_if<TransferOperation>(&operation.body)) {
    use(*transfer, index, operation.depends_on);
  } else {
    std::visit([&](const auto& kind) { visit_operands(kind, use_one); }, operation.body);
  }
  std::sort(operation.depends_on.begin(), operation.depends_on.end());
  operation.depends_on.erase(std::unique(operation.depends_on.begin(), operation.depends_on.end()),
                             operation.depends_on.end());
  schedule_.operations.push_back(std::move(operation));
}

void ScheduleBuilder::begin_lanes() {
  lanes_begin_ = schedule_.operations.end_index();
}

void ScheduleBuilder::end_lanes() {
  const OperationIndex last = schedule_.operations.last_index();
  const auto keep = [&](const Operand& operand) {
    Buffer& buffer = schedule_.buffers[operand.buffer];
    if (buffer.last_use >= lanes_begin_) buffer.last_use = last;
  };
  for (OperationIndex index = lanes_begin_; index <= last; ++index) {
    const Operation& operation = schedule_.operations[index];
    std::visit([&](const auto& kind) { visit_operands(kind, keep); }, operation.body);
  }
}

}  // namespace cnnplan
