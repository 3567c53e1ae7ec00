// Describes the kernels of a unit on one rank. All functions are pure.
#pragma once

#include <string>

#include "planner/kernel/kernel.hpp"
#include "planner/schedule/blocks/decomposition.hpp"

namespace cnnplan {

// Describes a unit as one rank sees it. Boxes are in global indices.
struct LocalUnit {
  const Decomposition& decomposition;
  const Unit& unit;
  int rank;

  // The plan, the parameters and the plan of the layer are those of the unit's head.
  const Plan& plan() const { return decomposition.plan(); }
  const LayerParameters& parameters() const { return plan().network.layer(unit.head).parameters; }
  const LayerPlan& layer_plan() const { return plan().layers.at(unit.head); }
  // Returns the block of the output that the rank owns.
  Box own_box() const { return decomposition.owned(unit.last).box(rank); }
  // Returns the block of the first input that the rank needs.
  Box needed_box() const { return decomposition.needed(unit, 0).box(rank); }
  // True where the rank has a part of the unit.
  bool is_here() const { return is_at_stage(plan(), unit.head, rank); }
  // True where the rank adds the bias of the unit.
  bool adds_bias() const;
};

// Returns the forward kernel of a layer with a window. A transposed convolution has the forward
// kernel of the convolution from its outputs to its inputs. @pre the layer has a window
KernelSpec windowed_spec(const LocalUnit& local);
// Returns the kernel that computes a phase of a layer that mixes channels, on ranks that have a
// part of the weight. `forward` is windowed_spec(local).
KernelSpec convolution_spec(const LocalUnit& local, KernelSpec forward, KernelPhase phase);
// Returns the kernel that adds the bias of a transposed convolution, or sums its gradient.
KernelSpec bias_spec(const LocalUnit& local, KernelPhase phase);
// Returns a kernel whose input and output are the rank's block of the unit's output.
KernelSpec element_wise_spec(const LocalUnit& local, KernelKind kind, KernelPhase phase);
// These functions return the kernels of an element-wise layer. The kind of kernel has the name of
// the layer's kind. An add with a ReLU has the backward kernel of the ReLU.
// @throws std::logic_error if no kind of kernel has the name
KernelSpec forward_element_wise_spec(const LocalUnit& local);
KernelSpec backward_element_wise_spec(const LocalUnit& local);
// Returns the kernel of a `pointwise` layer, which is only planned.
KernelSpec pointwise_spec(const LocalUnit& local, KernelPhase phase);
// Returns the forward kernel of a batch norm, with what is fused into it.
KernelSpec batch_norm_spec(const LocalUnit& local);
// Returns the kernel of an upsampling or a channel shuffle.
KernelSpec rearranging_spec(const LocalUnit& local, KernelPhase phase);
// Returns the kind of kernel that all losses of the network have.
KernelKind loss_kind(const Network& network);

// Returns the constants of the unit's kernel of this kind. The kind matters where a unit has
// several kernels: the kernel that sums gradients of an add's output has no scale.
KernelConstants constants_of(const LocalUnit& local, KernelKind kind);
// Returns the implementation that the plan names for a convolution. The result is empty for other
// kernels, and where the plan names none.
std::string implementation_of(const Plan& plan, const KernelSpec& spec);
// Returns into how many kernels a plan cuts a kernel on a rank, one for each block of samples. The
// kernel is not cut if the number is at most 1. The forward kernel of a batch norm is never cut,
// because it sums nothing, and must update running values once.
int sample_blocks_of(const Plan& plan, const KernelSpec& spec);

}  // namespace cnnplan
