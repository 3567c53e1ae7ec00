// Closure by bit rows; conflicts by trying all pairs.
#include "tests/planner/schedule/order_of_execution.hpp"

#include <algorithm>

#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan::test {
namespace {

// Operands without a box are all of their buffer.
bool share_memory(const Operand& a, const Operand& b) {
  if (a.buffer != b.buffer) return false;
  if (a.first_slot >= 0 && b.first_slot >= 0) {
    return a.first_slot <= b.last_slot && b.first_slot <= a.last_slot;
  }
  const bool have_boxes = volume(a.box) > 0 && volume(b.box) > 0;
  return !have_boxes || overlap(a.box, b.box);
}

Operand operand_of(const Piece& piece, BufferIndex buffer, std::int64_t channel, bool written) {
  Operand operand{.buffer = buffer, .box = piece.box, .written = written};
  operand.box[Dim::c].begin += channel;
  operand.box[Dim::c].end += channel;
  return operand;
}

// Of a transfer what is sent and received, piece by piece.
std::vector<Operand> exact_operands(const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  if (transfer == nullptr || transfer->zero_first) return operands_of(operation.body);
  std::vector<Operand> operands;
  for (const Piece& piece : transfer->list.sends) {
    operands.push_back(operand_of(piece, transfer->source, transfer->source_channel, false));
  }
  for (const Piece& piece : transfer->list.receives) {
    operands.push_back(
        operand_of(piece, transfer->destination, transfer->destination_channel, true));
  }
  return operands;
}

bool conflict(const std::vector<Operand>& earlier, const std::vector<Operand>& later) {
  return std::any_of(earlier.begin(), earlier.end(), [&](const Operand& a) {
    return std::any_of(later.begin(), later.end(), [&](const Operand& b) {
      return (a.written || b.written) && share_memory(a, b);
    });
  });
}

}  // namespace

OrderOfExecution::OrderOfExecution(const Operations& operations) {
  for (const Operation& operation : operations) {
    Row row(operations.size(), false);
    for (OperationIndex earlier : operation.depends_on) {
      row[earlier] = true;
      for (OperationIndex i(0); i < earlier; ++i) row[i] = row[i] || before_[earlier][i];
    }
    before_.push_back(std::move(row));
  }
}

std::string first_unordered_pair(const Operations& operations) {
  const OrderOfExecution order(operations);
  IndexedVector<OperationIndex, std::vector<Operand>> operands;
  for (const Operation& operation : operations) operands.push_back(exact_operands(operation));
  for (const OperationIndex later : operations.indices()) {
    for (OperationIndex earlier(0); earlier < later; ++earlier) {
      if (!conflict(operands[earlier], operands[later])) continue;
      if (order.is_before(earlier, later)) continue;
      return operations[earlier].id + " and " + operations[later].id;
    }
  }
  return "";
}

}  // namespace cnnplan::test
