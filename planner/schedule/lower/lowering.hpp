// Lowers one plan for one rank: forward and backward passes, reductions and updates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "planner/schedule/blocks/decomposition.hpp"
#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/interior.hpp"
#include "planner/schedule/operation_label.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {

class Lowering {
 public:
  // Keeps a reference. `lowered` says by unit whether it is lowered; empty stands for all. Units
  // that are not lowered contribute only the tensors and gradients that lowered units read.
  Lowering(const Decomposition& decomposition, int rank, Mode mode, std::vector<bool> lowered = {});
  // Makes the step compute residuals as well.
  void trace_residuals() { traces_residuals_ = true; }
  Schedule run();

 private:
  // A gradient of a tensor, or a part of it. A shared contribution must not be overwritten.
  struct Contribution {
    Operand operand;
    bool shared = false;
  };
  // Blocks of a tensor that this rank has fetched, and where they are.
  struct Fetched {
    const BlockOwnership* blocks;
    Operand operand;
  };
  // The operands that a unit's forward pass leaves for its backward pass.
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
  // Returns the element of parameters and of sums.
  BufferElement parameter() const;
  // Adds a buffer in the element of activations.
  BufferIndex add_block(const std::string& name, BufferRole role, const Box& box);
  Operand add_output(const Unit& unit, BufferRole role = BufferRole::activation);
  // Returns an empty operand that stands for blocks of other ranks.
  Operand nothing();
  Box storage_box(const Unit& unit) const;

  // False in inference for units that only auxiliary losses need.
  bool runs(const Unit& unit) const;
  bool is_lowered(std::size_t unit) const { return lowered_.empty() || lowered_[unit]; }
  // True where a lowered unit reads the output of this unit.
  bool is_read(const Unit& unit) const { return is_read_[static_cast<std::size_t>(unit.last)]; }
  // Adds gradients in place of those that the backward pass of the unit would contribute.
  void add_gradients(const Unit& unit);

  // Multigrid.
  class ChainPass;
  class ForwardPass;
  class BackwardPass;
  // Returns the chain that a unit belongs to; null where multigrid does not run the unit.
  const Multigrid* chain_of(const Unit& unit) const;
  void forward_chain(const Multigrid& chain);
  void backward_chain(const Multigrid& chain);

  // Forward.
  void forward_all();
  void forward(std::size_t unit);
  void load(const Unit& unit);
  void add_labels(LayerIndex loss);
  void forward_windowed(const Unit& unit, Saved& saved);
  // Add the kernel of a unit with parameters.
  void convolve(const Unit& unit, const LabelledId& named, const Operand& input, Operand output);
  void convolve(const Unit& unit,
                const LabelledId& named,
                KernelSpec spec,
                const Operand& input,
                Operand output);
  std::vector<OutputPart> output_parts_of(const Unit& unit) const;
  void convolve_parts(const Unit& unit, const Saved& saved, const std::vector<OutputPart>& parts);
  // Adds the kernel of y += bias.
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
  // Fetches blocks of `stored`, unless `fetched` has them. `direction` is backward where
  // backpropagation computes an output again.
  Operand fetch(const Unit& unit,
                std::size_t input,
                const Operand& stored,
                Direction direction,
                std::vector<Fetched>& fetched);
  Operand fetch_blocks(const Unit& unit,
                       std::size_t input,
                       const Operand& stored,
                       Direction direction);
  void add_transfer(const Unit& unit,
                    const LabelledId& named,
                    TransferOperation transfer,
                    Exchange exchange);

  KernelSpec batch_norm_spec(const Unit& unit) const;
  std::vector<Operand> batch_norm_operands(const Unit& unit,
                                           const Saved& saved,
                                           const std::vector<Operand>& inputs,
                                           const Operand& output) const;
  KernelSpec forward_elementwise_spec(const Unit& unit) const;

  // Backpropagation reads outputs that the forward pass kept, or computes them again.
  bool recomputes(const Unit& unit) const;
  Operand tensor_again(LayerIndex layer);
  Operand input_again(const Unit& unit, std::size_t input);
  Operand forward_again(const Unit& unit);
  const Saved& saved_of(const Unit& unit) const;

  // Kernels by blocks of samples.
  class SampleBlocks;
  // Returns into how many blocks of samples a kernel is cut on this rank.
  int own_blocks(const KernelSpec& spec) const;
  void add_in_blocks(const Unit& unit,
                     LayerIndex index,
                     const LabelledId& named,
                     const KernelOperation& operation);
  BufferIndex gradient_part(int depth);

  // Backward.
  void backward_all();
  void backward(std::size_t unit);
  Operand backward_relu(const Unit& unit, const Operand& dy, const LabelledId& named);
  void backward_windowed(const Unit& unit, const Saved& saved, const Operand& own_dy);
  // Adds the kernel of the error signal of what a unit with parameters reads.
  Operand convolve_back(const Unit& unit, const LabelledId& named, const Operand& dy);
  Operand backward_pooling(const Unit& unit, const Saved& saved, const Operand& dy);
  void backward_filter(const Unit& unit, const Saved& saved, const Operand& dy);
  Operand gather_error_signal(const Unit& unit, const Operand& dy);
  void backward_batch_norm(const Unit& unit, const Saved& saved, const Operand& dy);
  // `gradient` holds dz and its sums over the group.
  void backward_batch_norm_data(const Unit& unit,
                                const Saved& saved,
                                KernelSpec spec,
                                const std::array<Operand, 2>& gradient);
  void backward_elementwise(const Unit& unit, const Operand& dy);
  void backward_response_norm(const Unit& unit, const Operand& dy);
  void backward_rearranged(const Unit& unit, const Operand& dy);
  void backward_loss(const Unit& unit, const Saved& saved);
  void hand_on(const Unit& unit, const Operand& gradient);
  // Adds the kernel that scales a gradient for the second input of an add, into a buffer of its
  // own.
  Operand scaled(const Unit& unit, const Operand& gradient, const LabelledId& named);
  void contribute(const Unit& unit, std::size_t input, Contribution contribution);
  // Returns the buffer that collects the gradients from all slices of a tensor. Together they are
  // one contribution.
  BufferIndex sliced_gradient_of(LayerIndex target, const std::string& name);
  Operand gradient_of(const Unit& unit);
  // Adds the sum of two contributions. `suffix` follows the name of the tensor in the id.
  Contribution sum(const Unit& unit,
                   const std::array<Contribution, 2>& terms,
                   const std::string& suffix);

  // Parameters.
  void add_parameters();
  void add_slots(const Unit& unit);
  BufferIndex add_arena(const std::string& name, BufferRole role);
  std::int64_t slot_elements() const;
  Operand slot_operand(BufferIndex arena, int slot, bool written) const;
  // Returns the weight as convolutions read it.
  Operand convolution_weight(int slot) const;
  bool sum_alike(LayerIndex a, LayerIndex b) const;
  void find_gradient_ranges();
  Operand updated_slots(BufferIndex arena, const GradientRange& range, bool written) const;
  std::int64_t momentum_elements() const;
  void gather_weights();
  void add_to_bucket(const Unit& unit);
  void reduce_gradients(std::size_t range);
  void exchange_slots(const LabelledId& named,
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
  // Empty where not all units are lowered. Such schedules are for prices, which need no names.
  const std::string& name_of(LayerIndex index) const {
    return lowered_.empty() ? layer(index).name : no_name_;
  }
  const std::string& name(const Unit& unit) const { return name_of(unit.head); }
  // `of_channels` is the part where the ranks of a mesh have different channels.
  LabelledId transfer_name(const Unit& unit,
                           std::size_t input,
                           Direction direction,
                           OperationPart of_channels) const;
  OperationPart transfer_part(const Unit& unit, std::size_t input, OperationPart of_channels) const;
  // The names of an input and of its place among equal inputs; empty where a unit has one input.
  std::string input_suffix(const Unit& unit, std::size_t input) const;
  // True where the kernels of a unit compute parts of sums over channels.
  bool has_partial_sums(const Unit& unit) const;
  // True where the unit has a bias and this rank adds it.
  bool adds_bias(const Unit& unit) const;
  // True where this rank has a part of the unit. Kernels of other units are left out.
  bool is_here(const Unit& unit) const;
  Range own_channels(LayerIndex layer) const;
  Box own_box(LayerIndex layer) const;
  Box needed_box(const Unit& unit, std::size_t input) const;
  // Returns the whole shape of the first input.
  Shape input_shape(const Unit& unit) const;
  // Returns the kernel of a unit with a window. For a transposed convolution, that is the
  // convolution from its outputs to its inputs.
  KernelSpec windowed_spec(const Unit& unit) const;
  // Returns the kernel of this phase of the layer. @pre this rank has the weight
  KernelSpec convolution_spec(const Unit& unit, KernelPhase phase) const;
  // Returns the kernel that adds the bias of a transposed convolution, or sums its gradient.
  KernelSpec bias_spec(const Unit& unit, KernelPhase phase) const;
  // Returns the kernel of an upsampling or of a channel shuffle.
  KernelSpec rearranging_spec(const Unit& unit, KernelPhase phase) const;
  KernelKind loss_kind() const;
  KernelSpec elementwise_spec(const Unit& unit, KernelKind kind, KernelPhase phase) const;
  KernelAlgorithm algorithm(LayerIndex layer, KernelPhase phase) const;
  std::string implementation_of(const KernelSpec& spec) const;
  void kernel(const Unit& unit,
              const LabelledId& named,
              KernelSpec spec,
              std::vector<Operand> operands);
  void kernel(const Unit& unit, KernelSpec spec, std::vector<Operand> operands);
  // Adds a kernel of this layer, unless the rank has no part of the unit.
  void add_kernel(const Unit& unit,
                  LayerIndex index,
                  const LabelledId& named,
                  KernelOperation operation);
  // Adds a kernel that takes all samples of its operands at once, in the lane that is taken.
  void add_whole(LayerIndex index, LabelledId named, KernelOperation operation);
  void collective(const LabelledId& named,
                  LayerIndex layer,
                  Stream stream,
                  CollectiveOperation operation);
  // Returns `algorithm`, or `ring` where it would let replicas of a layer sum in different orders.
  AllreduceAlgorithm for_replicas(AllreduceAlgorithm algorithm,
                                  LayerIndex first,
                                  LayerIndex last) const;
  void allreduce_sums(const Unit& unit, KernelPhase phase, BufferIndex sums);
  // Returns the constants of a unit's kernel of this kind. Only kernels of kind `add` scale.
  KernelConstants constants_of(const Unit& unit, KernelKind kind) const;

  const Decomposition& decomposition_;
  const Plan& plan_;
  int rank_;
  Mode mode_;
  std::vector<bool> lowered_;
  std::string no_name_;
  std::vector<bool> is_read_;  // by layer, where not all units are lowered
  ScheduleBuilder builder_;
  std::vector<Saved> saved_;                          // by unit
  std::vector<Operand> tensors_;                      // by layer: this rank's block
  std::vector<std::vector<Contribution>> gradients_;  // by layer
  std::vector<BufferIndex> sliced_gradients_;         // by layer
  std::vector<std::vector<Fetched>> fetched_;         // by layer
  std::vector<Operand> again_;                        // by layer: the block computed again
  std::vector<std::vector<Fetched>> fetched_again_;   // by layer
  std::vector<int> first_slot_;                       // by layer
  std::vector<BufferIndex> labels_;                   // by layer, for losses
  std::vector<bool> is_of_main_loss_;                 // by layer
  BufferIndex nothing_ = -1;
  std::vector<BufferIndex> gradient_parts_;  // by depth in the tree, from 1 on
  bool traces_residuals_ = false;
  int lane_ = 0;         // the lane of kernels that are added
  int concurrency_ = 1;  // number of lanes that have kernels at the same time
  int next_tag_ = 0;
  int complete_ = 0;  // slots before this one have complete gradients
  // Ranges of gradients before these places are reduced, and updated.
  std::size_t reduced_ = 0;
  std::size_t updated_ = 0;
  int update_count_ = 0;
};

}  // namespace cnnplan
