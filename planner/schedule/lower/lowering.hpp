// Lowering of one plan for one rank: forward, backward, reductions and updates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "planner/schedule/blocks/decomposition.hpp"
#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/interior.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {

class Lowering {
 public:
  // Keeps a reference. `lowered`: by unit; of the others there are but the tensors and gradients
  // that lowered ones read. Empty: all.
  Lowering(const Decomposition& decomposition, int rank, Mode mode, std::vector<bool> lowered = {});
  // Computes residuals, too.
  void trace_residuals() { traces_residuals_ = true; }
  Schedule run();

 private:
  // A gradient of a tensor, or a part of it. A shared one must not be overwritten.
  struct Contribution {
    Operand operand;
    bool shared = false;
  };
  // Blocks of a tensor that were brought here, and where they lie.
  struct Fetched {
    const BlockOwnership* blocks;
    Operand operand;
  };
  // What a unit's forward leaves for its backward.
  struct Saved {
    std::vector<Operand> inputs;  // as the kernel read them
    Operand output;
    Operand sums;
    Operand extra;  // pooling index, probabilities, differences
    int first_slot = -1;
  };

  // Set-up.
  void find_read();
  void keep_logits();
  void keep_residuals();
  // Of parameters and of what is summed.
  BufferElement parameter() const;
  // In the element of activations.
  BufferIndex add_block(const std::string& name, BufferRole role, const Box& box);
  Operand add_output(const Unit& unit, BufferRole role = BufferRole::activation);
  // Of what other ranks have.
  Operand nothing();
  Box storage_box(const Unit& unit) const;

  // False for what only auxiliary losses need where there is no training.
  bool runs(const Unit& unit) const;
  bool is_lowered(std::size_t unit) const { return lowered_.empty() || lowered_[unit]; }
  // Whether a unit that is lowered reads the output of this one.
  bool is_read(const Unit& unit) const { return is_read_[static_cast<std::size_t>(unit.last)]; }
  // In place of what its backward would contribute.
  void add_gradients(const Unit& unit);

  // Multigrid.
  class ChainPass;
  class ForwardPass;
  class BackwardPass;
  // The chain that a unit belongs to; null where it runs on its own.
  const Multigrid* chain_of(const Unit& unit) const;
  void forward_chain(const Multigrid& chain);
  void backward_chain(const Multigrid& chain);

  // Forward.
  void forward_all();
  void forward(std::size_t unit);
  void load(const Unit& unit);
  void add_labels(LayerIndex loss);
  void forward_windowed(const Unit& unit, Saved& saved);
  // The kernel of a unit with parameters.
  void convolve(const Unit& unit, const std::string& id, const Operand& input, Operand output);
  void convolve(const Unit& unit,
                const std::string& id,
                KernelSpec spec,
                const Operand& input,
                Operand output);
  std::vector<OutputPart> output_parts_of(const Unit& unit) const;
  void convolve_parts(const Unit& unit, const Saved& saved, const std::vector<OutputPart>& parts);
  // y += bias.
  void add_bias(const Unit& unit, const Operand& y);
  Operand add_computed(const Unit& unit);
  void scatter_sums(const Unit& unit, const Operand& computed);
  void forward_batch_norm(const Unit& unit, Saved& saved);
  void add_running_values(const Unit& unit);
  void forward_elementwise(const Unit& unit, Saved& saved);
  void forward_rearranged(const Unit& unit);
  void forward_copies(const Unit& unit);
  void forward_loss(const Unit& unit, Saved& saved);
  Operand fetch(const Unit& unit, std::size_t input);
  // The same of `stored`; `fetched` are the blocks of that tensor that are there already.
  Operand fetch(const Unit& unit,
                std::size_t input,
                const Operand& stored,
                const std::string& pass,
                std::vector<Fetched>& fetched);
  // From where an input is stored; `pass` is the word of the id behind the name of the unit.
  Operand fetch_blocks(const Unit& unit,
                       std::size_t input,
                       const Operand& stored,
                       const std::string& pass);
  void add_transfer(const Unit& unit,
                    const std::string& id,
                    TransferOperation transfer,
                    Exchange exchange);

  KernelSpec batch_norm_spec(const Unit& unit) const;
  std::vector<Operand> batch_norm_operands(const Unit& unit,
                                           const Saved& saved,
                                           const std::vector<Operand>& inputs,
                                           const Operand& output) const;
  KernelSpec forward_elementwise_spec(const Unit& unit) const;

  // What backpropagation reads of the forward pass: where it was kept, or computed again.
  bool recomputes(const Unit& unit) const;
  Operand tensor_again(LayerIndex layer);
  Operand input_again(const Unit& unit, std::size_t input);
  Operand forward_again(const Unit& unit);
  const Saved& saved_of(const Unit& unit) const;

  // Kernels by blocks of samples.
  class SampleBlocks;
  // Into how many a kernel is cut on this rank.
  int own_blocks(const KernelSpec& spec) const;
  void add_in_blocks(const Unit& unit,
                     LayerIndex index,
                     const std::string& id,
                     const KernelOperation& operation);
  BufferIndex gradient_part(int depth);

  // Backward.
  void backward_all();
  void backward(std::size_t unit);
  Operand backward_relu(const Unit& unit, const Operand& dy, const std::string& id);
  void backward_windowed(const Unit& unit, const Saved& saved, const Operand& own_dy);
  // The error signal of what a unit with parameters reads.
  Operand convolve_back(const Unit& unit, const std::string& id, const Operand& dy);
  Operand backward_pooling(const Unit& unit, const Saved& saved, const Operand& dy);
  void backward_filter(const Unit& unit, const Saved& saved, const Operand& dy);
  Operand gather_error_signal(const Unit& unit, const Operand& dy);
  void backward_batch_norm(const Unit& unit, const Saved& saved, const Operand& dy);
  // `gradient`: dz, and its sums over the group.
  void backward_batch_norm_data(const Unit& unit,
                                const Saved& saved,
                                KernelSpec spec,
                                const std::array<Operand, 2>& gradient);
  void backward_elementwise(const Unit& unit, const Operand& dy);
  void backward_response_norm(const Unit& unit, const Operand& dy);
  void backward_rearranged(const Unit& unit, const Operand& dy);
  void backward_loss(const Unit& unit, const Saved& saved);
  void hand_on(const Unit& unit, const Operand& gradient);
  // What the second input of an add gets of a gradient, in memory of its own.
  Operand scaled(const Unit& unit, const Operand& gradient, const std::string& id);
  void contribute(const Unit& unit, std::size_t input, Contribution contribution);
  // Where what a slice hands back goes: one for all slices of a tensor, which adds a contribution.
  BufferIndex sliced_gradient_of(LayerIndex target, const std::string& name);
  Operand gradient_of(const Unit& unit);
  // `suffix` follows the name of the tensor in the id.
  Contribution sum(const Unit& unit,
                   const std::array<Contribution, 2>& terms,
                   const std::string& suffix);

  // Parameters.
  void add_parameters();
  void add_slots(const Unit& unit);
  BufferIndex add_arena(const std::string& name, BufferRole role);
  std::int64_t slot_elements() const;
  Operand slot_operand(BufferIndex arena, int slot, bool written) const;
  // The weight as convolutions read it.
  Operand convolution_weight(int slot) const;
  bool sum_alike(LayerIndex a, LayerIndex b) const;
  void find_gradient_ranges();
  Operand updated_slots(BufferIndex arena, const GradientRange& range, bool written) const;
  std::int64_t momentum_elements() const;
  void gather_weights();
  void add_to_bucket(const Unit& unit);
  void reduce_gradients(std::size_t range);
  void exchange_slots(const std::string& id,
                      std::size_t range,
                      CollectiveKind kind,
                      BufferIndex arena);
  void update_rest();
  void update_weights(std::size_t end);
  void update_weights(const GradientRange& range);

  // Helpers.
  const Network& network() const { return plan_.network; }
  const Layer& layer(LayerIndex index) const { return plan_.network.layer(index); }
  const LayerPlan& layer_plan(LayerIndex index) const;
  // Empty where not all units are lowered: those are for prices, and nobody asks them for names.
  const std::string& name_of(LayerIndex index) const {
    return lowered_.empty() ? layer(index).name : no_name_;
  }
  const std::string& name(const Unit& unit) const { return name_of(unit.head); }
  std::string label(const Unit& unit, std::size_t input, const char* of_channels) const;
  // True where the kernels of a unit compute parts of sums.
  bool has_partial_sums(const Unit& unit) const;
  // Whether this rank adds the bias of a unit, where it has one.
  bool adds_bias(const Unit& unit) const;
  // Whether this rank has anything of a unit; kernels of others are left out.
  bool is_here(const Unit& unit) const;
  Range own_channels(LayerIndex layer) const;
  Box own_box(LayerIndex layer) const;
  Box needed_box(const Unit& unit, std::size_t input) const;
  // Of its first input, whole.
  Shape input_shape(const Unit& unit) const;
  // Of a transposed convolution, that of the convolution from its outputs to its inputs.
  KernelSpec windowed_spec(const Unit& unit) const;
  // Of the kernel that does this phase of the layer, for ranks that have the weight.
  KernelSpec convolution_spec(const Unit& unit, KernelPhase phase) const;
  // Of the kernel that adds the bias of a transposed convolution, or sums its gradient.
  KernelSpec bias_spec(const Unit& unit, KernelPhase phase) const;
  // Of an upsampling or a channel shuffle.
  KernelSpec rearranging_spec(const Unit& unit, KernelPhase phase) const;
  KernelKind loss_kind() const;
  KernelSpec elementwise_spec(const Unit& unit, KernelKind kind, KernelPhase phase) const;
  KernelAlgorithm algorithm(LayerIndex layer, KernelPhase phase) const;
  std::string implementation_of(const KernelSpec& spec) const;
  void kernel(const Unit& unit,
              const std::string& id,
              KernelSpec spec,
              std::vector<Operand> operands);
  void kernel(const Unit& unit, KernelSpec spec, std::vector<Operand> operands);
  // Of this layer; for what a rank has of the unit.
  void add_kernel(const Unit& unit,
                  LayerIndex index,
                  const std::string& id,
                  KernelOperation operation);
  // All samples of its operands at once. In the lane that is taken.
  void add_whole(LayerIndex index, const std::string& id, KernelOperation operation);
  void collective(const std::string& id,
                  LayerIndex layer,
                  Stream stream,
                  CollectiveOperation operation);
  // `algorithm`, or another where replicas of some of these layers would sum in different orders.
  AllreduceAlgorithm for_replicas(AllreduceAlgorithm algorithm,
                                  LayerIndex first,
                                  LayerIndex last) const;
  void allreduce_sums(const Unit& unit, const std::string& phase, BufferIndex sums);
  // Of a kernel of this kind: what accumulates the gradient of an add does not scale.
  KernelConstants constants_of(const Unit& unit, KernelKind kind) const;

  const Decomposition& decomposition_;
  const Plan& plan_;
  int rank_;
  Mode mode_;
  std::vector<bool> lowered_;
  std::string no_name_;
  std::vector<bool> is_read_;  // by layer, where not all are lowered
  ScheduleBuilder builder_;
  std::vector<Saved> saved_;                          // by unit
  std::vector<Operand> tensors_;                      // by layer: this rank's block
  std::vector<std::vector<Contribution>> gradients_;  // by layer
  std::vector<BufferIndex> sliced_gradients_;         // by layer
  std::vector<std::vector<Fetched>> fetched_;         // by layer
  std::vector<Operand> again_;                        // by layer: the block computed again
  std::vector<std::vector<Fetched>> fetched_again_;   // by layer
  std::vector<int> first_slot_;                       // by layer
  std::vector<BufferIndex> labels_;                   // by layer, of losses
  std::vector<bool> is_of_main_loss_;                 // by layer
  BufferIndex nothing_ = -1;
  std::vector<BufferIndex> gradient_parts_;  // by depth in the tree, from 1 on
  bool traces_residuals_ = false;
  int lane_ = 0;         // of the kernels that are added
  int concurrency_ = 1;  // lanes that have kernels at the same time as this one
  int next_tag_ = 0;
  int complete_ = 0;  // slots before this one have complete gradients
  // Ranges of gradients before these are reduced, and updated.
  std::size_t reduced_ = 0;
  std::size_t updated_ = 0;
  int update_count_ = 0;
};

}  // namespace cnnplan
