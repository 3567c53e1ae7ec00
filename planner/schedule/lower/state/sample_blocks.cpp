// Adds the kernels of the blocks, and the sums of their results.
#include "planner/schedule/lower/state/sample_blocks.hpp"

#include <algorithm>
#include <utility>

#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

BufferIndex GradientParts::at_depth(std::size_t depth) {
  // The buffer has room for any weight.
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : builder_.schedule().slots) {
    if (slot.role == ParameterRole::weight) elements = std::max(elements, slot.elements);
  }
  while (buffers_.size() < depth) {
    buffers_.push_back(builder_.add_flat("gradient_part/" + std::to_string(buffers_.size() + 1),
                                         BufferRole::gradient_part,
                                         element_,
                                         elements));
  }
  return buffers_[depth - 1];
}

SampleBlocks::SampleBlocks(OperationWriter& writer, GradientParts& parts, BlockedKernel kernel)
    : writer_(writer),
      parts_(parts),
      kernel_(std::move(kernel)),
      targets_{kernel_.operation.operands} {
  kernel_.operation.spec.in[Dim::n] /= kernel_.count;
  kernel_.operation.spec.out[Dim::n] /= kernel_.count;
}

// Adds blocks [first, first + count), with their sums at `depth`.
void SampleBlocks::add(int first, int count, std::size_t depth) {
  if (count == 1) return add_kernel(first, depth);
  add(first, count / 2, depth);
  add(first + count / 2, count / 2, depth + 1);
  for (std::size_t i = 0; i < targets_[0].size(); ++i) {
    if (is_sum(targets_[0][i])) add_sum(first, count, depth, i);
  }
}

void SampleBlocks::add_kernel(int block, std::size_t depth) {
  while (targets_.size() <= depth) targets_.push_back(at_depth(targets_.size()));
  const std::int64_t size = kernel_.samples.size() / kernel_.count;
  const std::int64_t begin = kernel_.samples.begin + block * size;
  KernelOperation operation = kernel_.operation;
  operation.operands = targets_[depth];
  for (Operand& operand : operation.operands) {
    if (is_cut(operand)) operand.box[Dim::n] = {begin, begin + size};
  }
  writer_.whole_kernel(
      kernel_.layer, named("/block_" + std::to_string(block)), std::move(operation));
}

void SampleBlocks::add_sum(int first, int count, std::size_t depth, std::size_t index) {
  const Operand& target = targets_[depth][index];
  Operand read = target;
  read.written = false;
  Operand other = targets_[depth + 1][index];
  other.written = false;
  const std::string blocks = std::to_string(first) + '_' + std::to_string(first + count - 1);
  writer_.builder().add_operation(
      named("/sum_" + blocks + '/' + std::to_string(index)),
      kernel_.layer,
      Stream::compute,
      KernelOperation{
          .spec = sum_spec(target), .constants = {}, .operands = {read, other, target}});
}

LabelledId SampleBlocks::named(const std::string& suffix) const {
  return {.id = kernel_.named.id + suffix, .label = kernel_.named.label};
}

// Returns the operands, with memory of their own for sums.
std::vector<Operand> SampleBlocks::at_depth(std::size_t depth) {
  std::vector<Operand> operands = targets_[0];
  for (Operand& operand : operands) {
    if (is_sum(operand)) operand = sum_at(depth, operand);
  }
  return operands;
}

Operand SampleBlocks::sum_at(std::size_t depth, const Operand& target) {
  ScheduleBuilder& builder = writer_.builder();
  const bool is_slot = target.first_slot >= 0;
  if (is_slot && builder.slot(target.first_slot).role == ParameterRole::weight) {
    Operand part = target;
    part.buffer = parts_.at_depth(depth);
    return part;
  }
  return builder.write(builder.add_flat(kernel_.named.id + "/part",
                                        BufferRole::scratch,
                                        builder.buffer(target.buffer).element,
                                        volume(target.box)));
}

// Returns the kernel of a sum in its element, which is that of parameters or double.
KernelSpec SampleBlocks::sum_spec(const Operand& target) const {
  KernelSpec spec{.kind = KernelKind::accumulate, .phase = KernelPhase::forward};
  spec.in = spec.out = shape_of(target.box);
  const BufferElement element = writer_.builder().buffer(target.buffer).element;
  const Precision precision = kernel_.operation.spec.precision;
  spec.precision = element == BufferElement::fp64 ? Precision::fp64
                   : has_weight_copies(precision) ? Precision::fp32
                                                  : precision;
  return spec;
}

bool SampleBlocks::is_cut(const Operand& operand) const {
  return operand.first_slot < 0 && operand.box[Dim::n] == kernel_.samples;
}

}  // namespace cnnplan
