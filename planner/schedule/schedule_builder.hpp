// Appends buffers and operations to a schedule and derives what each operation depends on.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

class ScheduleBuilder {
 public:
  enum class Dependencies { derived, none };
  ScheduleBuilder(int rank, int ranks, Dependencies dependencies = Dependencies::derived);

  BufferIndex add_buffer(std::string name, BufferRole role, BufferElement element, const Box& box);
  BufferIndex add_flat(std::string name,
                       BufferRole role,
                       BufferElement element,
                       std::int64_t elements);
  int add_slot(const ParameterSlot& slot);
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

  void use(const Operand& operand, OperationIndex operation, std::vector<OperationIndex>& depends);
  // `part` of a buffer: a slot, or 0 for all of it.
  void use(BufferIndex buffer,
           int part,
           bool written,
           OperationIndex operation,
           std::vector<OperationIndex>& depends);

  Schedule schedule_;
  bool derives_dependencies_;
  OperationIndex lanes_begin_ = 0;
  std::vector<std::vector<Uses>> uses_;  // by buffer and part
};

// What an operation reads and writes.
std::vector<Operand> operands_of(const OperationBody& body);

}  // namespace cnnplan
