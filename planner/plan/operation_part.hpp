// Says what an operation does in a training step. Schedules, files and reports share these names.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"

namespace cnnplan {

enum class OperationPart {
  load,                    // samples and labels, or targets
  forward,                 // kernels
  backward_data,           // kernels of error signals
  backward_filter,         // kernels of the gradients of weights and biases
  statistics,              // kernels of the sums of a batch norm
  accumulate,              // error signals that several layers send to one tensor
  halo,                    // exchange of halos between neighbours on one mesh
  channel_allgather,       // channels that other ranks own
  channel_reduce_scatter,  // parts of sums over channels, to the owners of the sums
  shuffle,                 // from one mesh or stage to another
  copy,                    // channels to or from a concat or a slice
  statistics_allreduce,    // sums of a batch norm, over ranks
  loss_allreduce,          // sum of a loss, over ranks
  gradient_reduction,      // allreduce, or its reduce-scatter
  weight_allgather,        // weights that other ranks updated
  update,                  // of weights by SGD
};
std::string_view to_text(OperationPart part);

// True for the parts that serve all layers of a gradient bucket together, and so belong to no
// layer.
bool serves_bucket(OperationPart part);

template <>
struct Enumerators<OperationPart> {
  static constexpr std::array all{OperationPart::load,
                                  OperationPart::forward,
                                  OperationPart::backward_data,
                                  OperationPart::backward_filter,
                                  OperationPart::statistics,
                                  OperationPart::accumulate,
                                  OperationPart::halo,
                                  OperationPart::channel_allgather,
                                  OperationPart::channel_reduce_scatter,
                                  OperationPart::shuffle,
                                  OperationPart::copy,
                                  OperationPart::statistics_allreduce,
                                  OperationPart::loss_allreduce,
                                  OperationPart::gradient_reduction,
                                  OperationPart::weight_allgather,
                                  OperationPart::update};
};

}  // namespace cnnplan
