// Makes a small plan whose ranks exchange halos, statistics and gradients, for tests of traces.
#pragma once

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// Returns a plan that splits images by height.
inline Plan halo_plan(int ranks) {
  Convolution convolution{.filters = 3};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  const Network network("small",
                        {{"input", {}, Input{.channels = 2, .size = {1, 8, 5}}},
                         {"conv1", {"input"}, convolution},
                         {"bn", {"conv1"}, BatchNorm{}},
                         {"conv2", {"bn"}, convolution},
                         {"pool", {"conv2"}, GlobalPooling{}},
                         {"loss", {"pool"}, SoftmaxCrossEntropy{}}});
  return uniform_plan(network, 4, Mesh({{Axis::h, ranks}}));
}

}  // namespace cnnplan::test
