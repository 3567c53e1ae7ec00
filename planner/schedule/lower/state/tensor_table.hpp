// Holds the tensors of one rank: where their blocks are stored, and which blocks were fetched.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

// Holds the blocks of a tensor that this rank has fetched, and where they are.
struct FetchedBlocks {
  const RankBoxes* blocks;  // of all ranks; the decomposition owns them
  Operand operand;          // this rank's block
  GatherMethod gather = GatherMethod::direct;
};

// Holds the operands that a unit's forward pass leaves for its backward pass.
struct SavedOperands {
  std::vector<Operand> inputs;  // as the kernel read them
  Operand output;
  Operand sums;   // of a batch norm
  Operand extra;  // pooling index, mask of a batch norm, probabilities, differences
};

// Knows the outputs of all layers on this rank, and adds memory and transfers for them.
class TensorTable {
 public:
  // Keeps references to both arguments.
  TensorTable(const LoweringContext& context, OperationWriter& writer);

  // Returns this rank's block of the output of a layer. Its buffer is -1 before set_output().
  const Operand& output(LayerIndex layer) const { return outputs_[layer]; }
  const IndexedVector<LayerIndex, Operand>& outputs() const { return outputs_; }
  void set_output(LayerIndex layer, const Operand& block) { outputs_[layer] = block; }
  // Adds the memory for a unit's output, with room for halos, and sets the output. A rank without a
  // part of the unit has an absent operand.
  Operand add_output(const Unit& unit, BufferRole role = BufferRole::activation);

  // Returns the block of an input that a unit needs. It adds a transfer from the owners where the
  // block has to move and was not fetched before.
  Operand fetch(const Unit& unit, std::size_t input);
  // Returns and adds the same for an input whose own block is `stored`. `fetched` lists the blocks
  // of it that were fetched before, and gets the new one. `direction` is backward where
  // backpropagation computes an output again.
  Operand fetch(const Unit& unit,
                std::size_t input,
                const Operand& stored,
                Direction direction,
                std::vector<FetchedBlocks>& fetched);

  // Returns the operands that the unit's forward pass saves. The forward pass fills them in.
  SavedOperands& saved(const Unit& unit);
  // Returns the buffer of the labels or targets of a loss. It adds a buffer, unless another loss
  // has labels of the same block.
  BufferIndex add_labels(LayerIndex loss);
  // Returns the buffer that add_labels(loss) returned, or -1 for a layer without labels.
  BufferIndex labels(LayerIndex loss) const { return labels_[loss]; }

 private:
  Operand fetch_blocks(const Unit& unit,
                       std::size_t input,
                       const Operand& stored,
                       Direction direction);
  // Adds the two transfers of an input that is gathered node by node.
  Operand fetch_by_node(const Unit& unit,
                        std::size_t input,
                        const Operand& stored,
                        Direction direction);

  const LoweringContext& context_;
  OperationWriter& writer_;
  IndexedVector<LayerIndex, Operand> outputs_;
  IndexedVector<LayerIndex, std::vector<FetchedBlocks>> fetched_;
  IndexedVector<UnitIndex, SavedOperands> saved_;
  IndexedVector<LayerIndex, BufferIndex> labels_;  // -1 where the layer is no loss
};

}  // namespace cnnplan
