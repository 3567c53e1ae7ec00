// Looks at gradients on the device, and at the results of single operations on the host.
#include "executor/agreement/finite_step.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/backend/finite_numbers.hpp"

namespace cnnplan {
namespace {

bool are_gradients_finite(const Schedule& schedule, const ParameterStore& store) {
  const ElementType element = store.element_of(ParameterArena::gradients);
  const auto is_share_finite = [&](const GradientRange& range) {
    const SlotShard share = store.layout().share_of(range, schedule.rank);
    return share.own.size() == 0 ||
           store.device().are_finite(
               element, store.address(ParameterArena::gradients, share), share.own.size());
  };
  return std::all_of(
      schedule.gradient_ranges.begin(), schedule.gradient_ranges.end(), is_share_finite);
}

template <typename T>
bool is_finite(ElementType element, const TensorView& view) {
  const Shape shape = view.shape();
  const T* const data = view.as<T>();
  bool all = true;
  for (std::int64_t n = 0; n < shape[Dim::n]; ++n) {
    for (std::int64_t d = 0; d < shape[Dim::d]; ++d) {
      for (std::int64_t h = 0; h < shape[Dim::h]; ++h) {
        for (std::int64_t w = 0; w < shape[Dim::w]; ++w) {
          const T* const position = data + n * view.stride(Dim::n) + d * view.stride(Dim::d) +
                                    h * view.stride(Dim::h) + w * view.stride(Dim::w);
          all = all && are_finite(element, position, shape[Dim::c]);
        }
      }
    }
  }
  return all;
}

// Looks at results of this rank, and keeps the name of the first that is not finite.
class Finder {
 public:
  Finder(const CheckedStep& step, const ScheduleMemory& memory) : step_(step), memory_(memory) {}

  void look_at_parameters() {
    for (const SlotIndex slot : step_.store.slots().indices()) {
      if (!found_.empty()) return;
      if (!are_slots_finite(ParameterArena::weights, slot, slot)) {
        found_ = parameter_name(slot) + " before the step";
      }
    }
  }

  void look_at(OperationIndex index) {
    if (!found_.empty()) return;
    const Operation& operation = step_.schedule.operations[index];
    for (const Operand& operand : results_of(operation)) {
      if (is_result_finite(operand)) continue;
      found_ = name_of(operand) + " of layer " + step_.network.layer(operation.layer).name +
               ", which operation " + operation.id + " computes";
      place_ = index + 1;
      return;
    }
  }

  // Returns the place in the order of the step, 0 before it; nothing if all is finite.
  std::optional<int> place() const {
    return found_.empty() ? std::nullopt : std::optional<int>(static_cast<int>(place_));
  }
  const std::string& found() const { return found_; }

 private:
  std::string parameter_name(SlotIndex slot) const {
    const ParameterSlot& own = step_.store.slots()[slot];
    return "/" + step_.network.layer(own.layer).name + "/" + std::string(to_text(own.role));
  }

  std::string name_of(const Operand& operand) const {
    if (operand.first_slot < 0) return step_.schedule.buffers[operand.buffer].name;
    return "the gradient of " + parameter_name(operand.first_slot);
  }

  // Transfers move what another rank computed, and may leave parts of a buffer to other operations.
  std::vector<Operand> results_of(const Operation& operation) const {
    std::vector<Operand> results;
    if (const auto* kernel = std::get_if<KernelOperation>(&operation.body)) {
      for (const Operand& operand : kernel->operands) {
        if (operand.written) results.push_back(operand);
      }
    } else if (const auto* collective = std::get_if<CollectiveOperation>(&operation.body)) {
      if (collective->kind != CollectiveKind::reduce_scatter) {
        results.push_back(collective->operand);
      }
    } else if (const auto* load = std::get_if<LoadOperation>(&operation.body)) {
      results.push_back({.buffer = load->data,
                         .box = step_.schedule.data_box,
                         .first_slot = SlotIndex(-1),
                         .last_slot = SlotIndex(-1)});
    }
    return results;
  }

  bool are_slots_finite(ParameterArena arena, SlotIndex first, SlotIndex last) const {
    return step_.store.device().are_finite(step_.store.element_of(arena),
                                           step_.store.address(arena, first),
                                           step_.store.elements(first, last));
  }

  bool is_result_finite(const Operand& operand) const {
    const Buffer& buffer = step_.schedule.buffers[operand.buffer];
    if (buffer.role == BufferRole::gradients) {
      return are_slots_finite(ParameterArena::gradients, operand.first_slot, operand.last_slot);
    }
    if (operand.first_slot >= 0 || buffer.element == BufferElement::int32) return true;
    const HostBlock block = memory_.read(operand);
    const ElementType element = element_type(buffer.element);
    return with_type_of(element, [&]<typename T>(T) { return is_finite<T>(element, block.view); });
  }

  const CheckedStep& step_;
  const ScheduleMemory& memory_;
  std::string found_;
  OperationIndex place_{0};
};

}  // namespace

void require_finite_step(double loss,
                         const Schedule& schedule,
                         const ParameterStore& store,
                         const Communicator& world) {
  const bool is_finite_here = std::isfinite(loss) && are_gradients_finite(schedule, store);
  if (world.maximum(is_finite_here ? 0.0 : 1.0) > 0.0) throw NotFiniteStep(loss);
}

// Lists of operations differ little between ranks, so the least place came first.
std::string first_not_finite(const CheckedStep& step,
                             StepRunner& runner,
                             const StepState& state,
                             const Communicator& world) {
  Finder finder(step, runner.memory());
  finder.look_at_parameters();
  runner.run_one_by_one(state, [&](OperationIndex operation) { finder.look_at(operation); });
  const double none = static_cast<double>(step.schedule.operations.size()) + 1.0;
  const double most = world.maximum(none);
  const double own = finder.place() ? static_cast<double>(*finder.place()) : most;
  const double least = -world.maximum(-own);
  if (least == most) return "a second pass over it found only finite tensors";
  const double first_rank =
      world.size() - world.maximum(own == least ? world.size() - world.rank() : 0.0);
  const int rank = static_cast<int>(first_rank);
  return "the first tensor that is not finite is " + world.broadcast(finder.found(), rank) +
         " on rank " + std::to_string(rank);
}

}  // namespace cnnplan
