// Appends buffers and operations to a schedule and derives what each operation depends on.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Holds a schedule while the lowering of one rank writes it.
class ScheduleBuilder {
 public:
  // Says whether add_operation() fills depends_on of operations. With `none`, it stays empty.
  enum class Dependencies { derived, none };
  ScheduleBuilder(int rank, int ranks, Dependencies dependencies = Dependencies::derived);

  // Adds a buffer for a block of global indices. @throws InputError when its size overflows
  BufferIndex add_buffer(std::string name, BufferRole role, BufferElement element, const Box& box);
  // Says that transfers fill the part of a block that is outside of `inner`, such as a halo.
  // Operations that use only the inside do not wait for these transfers. Call it before operations
  // use the buffer.
  void set_rim(BufferIndex index, const Box& inner);
  // Adds a buffer whose box is [0, elements) of w.
  BufferIndex add_flat(std::string name,
                       BufferRole role,
                       BufferElement element,
                       std::int64_t elements);
  // Appends a slot and returns its index.
  SlotIndex add_slot(const ParameterSlot& slot);
  // Reserves memory for this number of operations and for equally many buffers.
  void reserve(std::size_t operations);
  // Appends an operation, and extends the lives of its buffers. It depends on the last writers of
  // what it reads, and on the last readers and writers of what it writes. Prices count it to
  // `layer`.
  void add_operation(
      LabelledId named, LayerIndex layer, Stream stream, OperationBody&& body, int lane = 0);

  // Operations that are added between the two calls may run in lanes at the same time. So no buffer
  // that they use is free for another buffer before end_lanes().
  void begin_lanes();
  void end_lanes();

  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }
  const Buffer& buffer(BufferIndex index) const { return schedule_.buffers.at(index); }
  const ParameterSlot& slot(SlotIndex index) const { return schedule_.slots.at(index); }
  // Return all of a buffer as an operand that an operation reads, or writes.
  Operand read(BufferIndex index) const;
  Operand write(BufferIndex index) const;
  // Returns the slots first..last, both inclusive, of an arena as an operand. @pre first <= last
  Operand slots(BufferIndex arena, SlotIndex first, SlotIndex last, bool written) const;

 private:
  struct Uses {
    OperationIndex writer;
    std::vector<OperationIndex> readers;
  };

  // Returns the first and the last of an operand's parts that are ordered separately. Parts are the
  // slots of an arena, the inside and the rim of a block with a rim, or else the whole buffer.
  std::pair<int, int> parts_of(const Operand& operand) const;
  void use(const Operand& operand, OperationIndex operation, std::vector<OperationIndex>& depends);
  void use(const TransferOperation& transfer,
           OperationIndex operation,
           std::vector<OperationIndex>& depends);
  void use(BufferIndex buffer,
           int part,
           bool written,
           OperationIndex operation,
           std::vector<OperationIndex>& depends);

  // Extends the lifetime of a buffer to this operation.
  void keep(BufferIndex index, OperationIndex operation);

  Schedule schedule_;
  bool derives_dependencies_;
  OperationIndex lanes_begin_{0};
  // Both are empty unless dependencies are derived.
  IndexedVector<BufferIndex, std::vector<Uses>> uses_;    // by buffer and part
  IndexedVector<BufferIndex, std::optional<Box>> inner_;  // nothing where there is no rim
};

// Returns what an operation reads and writes. The buffers of transfers and loads are operands with
// an empty box, which stand for the whole buffer.
std::vector<Operand> operands_of(const OperationBody& body);

}  // namespace cnnplan
