// Passes over the operations with a map of the buffer that held each byte of the arena last.
#include "planner/schedule/reuse_dependencies.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {
namespace {

// Remembers which buffer held each byte of the arena last.
class Holders {
 public:
  // Gives [begin, end) to `buffer`. Returns the buffers that had some of it before.
  std::vector<BufferIndex> take(std::int64_t begin, std::int64_t end, BufferIndex buffer) {
    split(begin);
    split(end);
    std::vector<BufferIndex> before;
    const auto first = parts_.lower_bound(begin);
    const auto last = parts_.lower_bound(end);
    for (auto part = first; part != last; ++part) before.push_back(part->second.buffer);
    parts_.erase(first, last);
    parts_[begin] = {end, buffer};
    return before;
  }

 private:
  struct Part {
    std::int64_t end = 0;
    BufferIndex buffer;
  };

  // Splits parts so that none begins before `place` and ends after it.
  void split(std::int64_t place) {
    const auto next = parts_.lower_bound(place);
    if (next == parts_.begin()) return;
    Part& part = std::prev(next)->second;
    if (part.end <= place) return;
    parts_[place] = part;
    part.end = place;
  }

  std::map<std::int64_t, Part> parts_;  // by begin
};

// Says how a buffer was used so far.
struct History {
  bool placed = false;
  bool written = false;
  std::vector<BufferIndex> before;          // in the same memory
  std::vector<OperationIndex> last_uses{};  // all earlier uses come before one of them
};

class ReuseDependencies {
 public:
  explicit ReuseDependencies(Schedule& schedule)
      : schedule_(schedule), histories_(schedule.buffers.size()) {}

  void add(OperationIndex index) {
    Operation& operation = schedule_.operations[index];
    const std::vector<Operand> operands = operands_of(operation.body);
    for (const Operand& operand : operands) {
      if (is_placed(operand)) open(operand.buffer, index);
    }
    std::vector<OperationIndex>& depends_on = operation.depends_on;
    std::sort(depends_on.begin(), depends_on.end());
    depends_on.erase(std::unique(depends_on.begin(), depends_on.end()), depends_on.end());
    for (const Operand& operand : operands) {
      if (is_placed(operand)) use(operand, index);
    }
  }

 private:
  const Buffer& buffer(BufferIndex index) const { return schedule_.buffers[index]; }
  bool is_placed(const Operand& operand) const {
    return in_arena(buffer(operand.buffer).role) && buffer(operand.buffer).bytes > 0;
  }

  // Communication ends only when the host has received. Later operations of its stream may begin
  // before.
  bool is_in_order(OperationIndex earlier, OperationIndex later) const {
    const Operation& before = schedule_.operations[earlier];
    const Operation& after = schedule_.operations[later];
    return !is_communication(before) && before.stream == after.stream && before.lane == after.lane;
  }

  // Adds dependencies to uses up to the first that writes. Later uses depend on that use.
  void open(BufferIndex index, OperationIndex operation) {
    History& opened = histories_[index];
    if (opened.written) return;
    const Buffer& own = buffer(index);
    if (!opened.placed) {
      opened.before = holders_.take(own.offset_bytes, own.offset_bytes + own.bytes, index);
      opened.placed = true;
    }
    auto& depends_on = schedule_.operations[operation].depends_on;
    for (BufferIndex before : opened.before) {
      for (OperationIndex earlier : histories_[before].last_uses) {
        if (!is_in_order(earlier, operation)) depends_on.push_back(earlier);
      }
    }
  }

  // A write comes after all earlier uses, except where it writes a part that they did not touch.
  void use(const Operand& operand, OperationIndex operation) {
    History& used = histories_[operand.buffer];
    if (operand.written) {
      used.written = true;
      const auto& depends_on = schedule_.operations[operation].depends_on;
      std::erase_if(used.last_uses, [&](OperationIndex earlier) {
        return is_in_order(earlier, operation) ||
               std::binary_search(depends_on.begin(), depends_on.end(), earlier);
      });
    }
    used.last_uses.push_back(operation);
  }

  Schedule& schedule_;
  IndexedVector<BufferIndex, History> histories_;
  Holders holders_;
};

}  // namespace

void add_reuse_dependencies(Schedule& schedule) {
  ReuseDependencies dependencies(schedule);
  for (const OperationIndex i : schedule.operations.indices()) dependencies.add(i);
}

}  // namespace cnnplan
