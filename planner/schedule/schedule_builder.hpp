// Appends buffers and operations to a schedule and derives what each operation depends on.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

class ScheduleBuilder {
 public:
  enum class Dependencies { derived, none };
  ScheduleBuilder(int rank, int ranks, Dependencies dependencies = Dependencies::derived);

  BufferIndex add_buffer(std::string name, BufferRole role, BufferElement element, const Box& box);
  // All of a block but `inner` comes by transfers: what stays inside does not wait for these.
  void set_rim(BufferIndex index, const Box& inner);
  BufferIndex add_flat(std::string name,
                       BufferRole role,
                       BufferElement element,
                       std::int64_t elements);
  int add_slot(const ParameterSlot& slot);
  // Room for so many operations, and as many buffers.
  void reserve(std::size_t operations);
  // Depends on the last writers of what the operation reads, and on the last readers and writers of
  // what it writes.
  void add_operation(
      std::string id, LayerIndex layer, Stream stream, OperationBody body, int lane = 0);

  // Operations of different lanes between the two share no memory but what they name: a buffer
  // that one lane no longer needs is free for others only at the end.
  void begin_lanes();
  void end_lanes();

  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }
  const Buffer& buffer(BufferIndex index) const;
  const ParameterSlot& slot(int index) const;
  // All of a buffer.
  Operand read(BufferIndex index) const;
  Operand write(BufferIndex index) const;
  // Slots of an arena. @pre first <= last
  Operand slots(BufferIndex arena, int first, int last, bool written) const;

 private:
  struct Uses {
    OperationIndex writer = -1;
    std::vector<OperationIndex> readers;
  };

  // Parts of a buffer that are ordered apart, the first and the last: slots of an arena, of a block
  // with a rim what is inside and the rim, else one.
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

  // In memory from its first to its last use.
  void keep(BufferIndex index, OperationIndex operation);

  Schedule schedule_;
  bool derives_dependencies_;
  OperationIndex lanes_begin_ = 0;
  std::vector<std::vector<Uses>> uses_;    // by buffer and part
  std::vector<std::optional<Box>> inner_;  // by buffer, of those with a rim
};

// What an operation reads and writes.
std::vector<Operand> operands_of(const OperationBody& body);

}  // namespace cnnplan
