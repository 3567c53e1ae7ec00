// Lowers plans whose sums do not depend on the number of ranks. Every block of samples has one
// kernel, whose shape is equal on any number of ranks, and sums are a binary tree over blocks. The
// lower levels of the tree are here, and the rounds of the allreduce are the upper levels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/schedule/operation_label.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {

class OperationWriter;

// Holds buffers in which parts of the gradient of one weight wait for their sum, one for each depth
// of the tree. All weights use the same buffers, one after the other.
class GradientParts {
 public:
  // Keeps a reference to the builder. `element` is the type of the gradients.
  GradientParts(ScheduleBuilder& builder, BufferElement element)
      : builder_(builder), element_(element) {}
  // Returns the buffer of a depth, and adds it on the first call. @pre depth >= 1, and all slots
  // are added
  BufferIndex at_depth(std::size_t depth);

 private:
  ScheduleBuilder& builder_;
  BufferElement element_;
  std::vector<BufferIndex> buffers_;  // by depth, from 1 on
};

// Describes a kernel that is cut into `count` equal blocks of `samples`, the global indices of the
// rank's samples.
struct BlockedKernel {
  LayerIndex layer;           // to which prices count it
  LabelledId named;           // the id and label of the kernel for all samples
  KernelOperation operation;  // for all samples
  int count = 1;
  Range samples;
};

// Adds one kernel of a rank, block by block. At most one sum per level of the tree waits for its
// other half, in the memory of its depth. Sums of depth 0 are the operands themselves.
class SampleBlocks {
 public:
  // Keeps references to the writer and the parts. @pre kernel.count > 1
  SampleBlocks(OperationWriter& writer, GradientParts& parts, BlockedKernel kernel);
  void add_all() { add(0, kernel_.count, 0); }

 private:
  void add(int first, int count, std::size_t depth);
  void add_kernel(int block, std::size_t depth);
  void add_sum(int first, int count, std::size_t depth, std::size_t index);
  std::vector<Operand> at_depth(std::size_t depth);
  Operand sum_at(std::size_t depth, const Operand& target);
  KernelSpec sum_spec(const Operand& target) const;
  LabelledId named(const std::string& suffix) const;
  bool is_cut(const Operand& operand) const;
  bool is_sum(const Operand& operand) const { return operand.written && !is_cut(operand); }

  OperationWriter& writer_;
  GradientParts& parts_;
  BlockedKernel kernel_;
  std::vector<std::vector<Operand>> targets_;  // by depth: operands, sums in memory of the depth
};

}  // namespace cnnplan
