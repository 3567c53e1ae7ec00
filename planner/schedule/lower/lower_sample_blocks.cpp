// Lowers plans whose sums do not depend on the number of ranks. Every block of samples has one
// kernel, whose shape is equal on any number of ranks, and sums are a binary tree over blocks. The
// lower levels of the tree are here, and the rounds of the allreduce are the upper levels.
#include <algorithm>
#include <utility>

#include "planner/schedule/lower/lowering.hpp"

namespace cnnplan {

// Adds one kernel of this rank, block by block. At most one sum per level of the tree waits for its
// other half, in the memory of its depth. Sums of depth 0 are the operands themselves.
class Lowering::SampleBlocks {
 public:
  // Keeps references. @pre own_blocks(operation.spec) > 1
  SampleBlocks(Lowering& lowering,
               const Unit& unit,
               LayerIndex layer,
               const LabelledId& named,
               const KernelOperation& operation)
      : lowering_(lowering),
        layer_(layer),
        id_(named.id),
        label_(named.label),
        operation_(operation),
        count_(lowering.own_blocks(operation.spec)),
        samples_(lowering.own_box(unit.last)[Dim::n]),
        targets_{operation.operands} {
    operation_.spec.in[Dim::n] /= count_;
    operation_.spec.out[Dim::n] /= count_;
  }

  void add_all() { add(0, count_, 0); }

 private:
  // Adds blocks [first, first + count), with their sums at `depth`.
  void add(int first, int count, std::size_t depth) {
    if (count == 1) return add_kernel(first, depth);
    add(first, count / 2, depth);
    add(first + count / 2, count / 2, depth + 1);
    for (std::size_t i = 0; i < targets_[0].size(); ++i) {
      if (is_sum(targets_[0][i])) add_sum(first, count, depth, i);
    }
  }

  void add_kernel(int block, std::size_t depth) {
    while (targets_.size() <= depth) targets_.push_back(at_depth(static_cast<int>(depth)));
    const std::int64_t size = samples_.size() / count_;
    const std::int64_t begin = samples_.begin + block * size;
    KernelOperation operation = operation_;
    operation.operands = targets_[depth];
    for (Operand& operand : operation.operands) {
      if (is_cut(operand)) operand.box[Dim::n] = {begin, begin + size};
    }
    lowering_.add_whole(layer_, named("/block_" + std::to_string(block)), std::move(operation));
  }

  void add_sum(int first, int count, std::size_t depth, std::size_t index) {
    const Operand& target = targets_[depth][index];
    Operand read = target;
    read.written = false;
    Operand other = targets_[depth + 1][index];
    other.written = false;
    const std::string blocks = std::to_string(first) + '_' + std::to_string(first + count - 1);
    lowering_.builder_.add_operation(
        named("/sum_" + blocks + '/' + std::to_string(index)),
        layer_,
        Stream::compute,
        KernelOperation{
            .spec = sum_spec(target), .constants = {}, .operands = {read, other, target}});
  }

  LabelledId named(const std::string& suffix) const {
    return {.id = id_ + suffix, .label = label_};
  }

  // Returns the operands, with memory of their own for sums.
  std::vector<Operand> at_depth(int depth) {
    std::vector<Operand> operands = targets_[0];
    for (Operand& operand : operands) {
      if (is_sum(operand)) operand = sum_at(depth, operand);
    }
    return operands;
  }

  Operand sum_at(int depth, const Operand& target) {
    ScheduleBuilder& builder = lowering_.builder_;
    const bool is_slot = target.first_slot >= 0;
    if (is_slot && builder.slot(target.first_slot).role == ParameterRole::weight) {
      Operand part = target;
      part.buffer = lowering_.gradient_part(depth);
      return part;
    }
    return builder.write(builder.add_flat(id_ + "/part",
                                          BufferRole::scratch,
                                          builder.buffer(target.buffer).element,
                                          volume(target.box)));
  }

  // Returns the kernel of a sum in its element, which is that of parameters or double.
  KernelSpec sum_spec(const Operand& target) const {
    KernelSpec spec{.kind = KernelKind::accumulate, .phase = KernelPhase::forward};
    spec.in = spec.out = shape_of(target.box);
    const BufferElement element = lowering_.builder_.buffer(target.buffer).element;
    const bool is_double = element == BufferElement::fp64;
    const Precision precision = lowering_.plan_.precision;
    spec.precision = is_double                      ? Precision::fp64
                     : has_weight_copies(precision) ? Precision::fp32
                                                    : precision;
    return spec;
  }

  bool is_cut(const Operand& operand) const {
    return operand.first_slot < 0 && operand.box[Dim::n] == samples_;
  }
  bool is_sum(const Operand& operand) const { return operand.written && !is_cut(operand); }

  Lowering& lowering_;
  LayerIndex layer_;
  const std::string& id_;
  OperationLabel label_;
  KernelOperation operation_;  // the kernel of a block, except for its operands
  int count_;
  Range samples_;
  std::vector<std::vector<Operand>> targets_;  // by depth: the operands, with where sums go
};

// The forward kernel of a batch norm sums nothing. It updates running values, and must do so once.
int Lowering::own_blocks(const KernelSpec& spec) const {
  const bool is_normalisation =
      spec.kind == KernelKind::batch_norm && spec.phase == KernelPhase::forward;
  return is_normalisation ? 1 : plan_.sample_blocks / plan_.ranks;
}

void Lowering::add_in_blocks(const Unit& unit,
                             LayerIndex index,
                             const LabelledId& named,
                             const KernelOperation& operation) {
  SampleBlocks(*this, unit, index, named, operation).add_all();
}

// The buffer has room for any weight.
BufferIndex Lowering::gradient_part(int depth) {
  const auto level = static_cast<std::size_t>(depth);
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : builder_.schedule().slots) {
    if (slot.role == ParameterRole::weight) elements = std::max(elements, slot.elements);
  }
  while (gradient_parts_.size() < level) {
    gradient_parts_.push_back(
        builder_.add_flat("gradient_part/" + std::to_string(gradient_parts_.size() + 1),
                          BufferRole::gradient_part,
                          parameter(),
                          elements));
  }
  return gradient_parts_[level - 1];
}

}  // namespace cnnplan
