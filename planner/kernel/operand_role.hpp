// Names the roles of operands. The elements of an operand follow from its role.
#pragma once

namespace cnnplan {

enum class OperandRole {
  // These are blocks of activations. x, a, b and dx have the shape `in` of the spec, the others
  // `out`. a and b are the inputs of an add, and `residual` is the second input of a fused kernel.
  x,
  a,
  b,
  y,
  residual,
  dx,
  dy,
  second_dy,  // the error signal of a second reader, which a batch norm adds to dy
  dz,         // dy, or dy + second_dy, masked by the ReLU of a batch norm
  // Convolutions have weights and their gradient in the format of the backend, and a bias per
  // channel.
  weight,
  dweight,
  bias,
  dbias,
  // Batch norms have these. All except the sums have one element per channel.
  sums,           // doubles: C sums, C sums of squares, and the number of values per channel
  gradient_sums,  // doubles: sums of dz, and sums of dz * normalised x, by channel
  scale,
  shift,
  dscale,
  dshift,
  running_mean,
  running_variance,
  // Max pooling keeps where the maximum of an output was. Only the backend knows the format.
  index,
  // A batch norm keeps which outputs are above 0, a bit for each. Only the backend knows the
  // format.
  mask,
  // Losses have these, in the shape `out` except for labels and loss.
  labels,  // one for each position of the block
  probabilities,
  targets,
  differences,
  loss,  // one double
  // The update of parameters works on flat arrays.
  parameters,
  gradient,
  momentum,
  copies,  // the parameters in the element of activations
};

}  // namespace cnnplan
