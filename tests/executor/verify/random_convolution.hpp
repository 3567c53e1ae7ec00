// Draws convolutions with uneven strides, dilations, paddings and groups, and values for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/random.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::test {

// Draws whole numbers, and fills arrays with random values.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : key_(random_key({.seed = seed})) {}
  std::int64_t from(std::int64_t first, std::int64_t last) {
    const auto count = static_cast<std::uint64_t>(last - first + 1);
    return first + static_cast<std::int64_t>(random_bits(key_, draws_++) % count);
  }
  std::vector<double> values(std::int64_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = 2.0 * random_uniform(key_, draws_++) - 1.0;
    return values;
  }

 private:
  std::uint64_t key_;
  std::uint64_t draws_ = 0;
};

// Draws a forward convolution in double. Some windows lie in the padding as a whole.
inline KernelSpec random_convolution(Draws& draws, std::int64_t most_outputs) {
  KernelSpec spec{.groups = draws.from(1, 3), .bias = true, .precision = Precision::fp64};
  spec.in = Shape{{draws.from(1, 2), spec.groups * draws.from(1, 3), 1, 1, 1}};
  spec.out = Shape{{spec.in[Dim::n], spec.groups * draws.from(1, 3), 1, 1, 1}};
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    WindowDim& dim = spec.window.dims[i];
    dim = {.kernel = draws.from(1, 3), .stride = draws.from(1, 3)};
    dim.dilation = draws.from(1, 2);
    dim.padding_begin = draws.from(0, dim.kernel);
    dim.padding_end = draws.from(0, dim.kernel);
    const std::int64_t out = draws.from(1, most_outputs);
    spec.out[spatial_dims[i]] = out;
    const std::int64_t reach = (out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
    spec.in[spatial_dims[i]] =
        std::max<std::int64_t>(1, reach - dim.padding_begin - dim.padding_end);
  }
  return spec;
}

}  // namespace cnnplan::test
