// Draws the window of each dim, the extents and the channels of a convolution.
#include "tests/executor/backend/onednn/windows/random_window.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cnnplan::test {
namespace {

// The reference in double computes this many products in few milliseconds.
constexpr std::int64_t most_products = 400'000;
constexpr std::int64_t largest_kernel = 11;

bool happens(Random& random, int percent) {
  return random.integer(1, 100) <= percent;
}

std::int64_t random_padding(Random& random, const WindowDim& dim) {
  const std::int64_t most = dim.reach() - 1;
  switch (random.integer(0, 5)) {
    case 0:
      return 0;
    case 1:
      return most;
    case 2:
      return most / 2;
    default:
      return random.integer(0, most);
  }
}

WindowDim random_dim(Random& random) {
  WindowDim dim;
  dim.kernel = happens(random, 60) ? random.integer(1, 4) : random.integer(1, largest_kernel);
  if (happens(random, 40)) dim.stride = random.integer(2, 5);
  if (dim.kernel > 1 && happens(random, 25)) dim.dilation = random.integer(2, 4);
  dim.padding_begin = random_padding(random, dim);
  dim.padding_end = happens(random, 30) ? dim.padding_begin : random_padding(random, dim);
  // Blocks of a transposed convolution may begin with windows that lie in the padding.
  if (happens(random, 5)) dim.padding_begin = dim.reach() + random.integer(0, 2);
  return dim;
}

// The length is enough for one output. Few inputs are frequent.
std::int64_t random_length(Random& random, const WindowDim& dim) {
  const std::int64_t least =
      std::max<std::int64_t>(1, dim.reach() - dim.padding_begin - dim.padding_end);
  return least + (happens(random, 70) ? random.integer(0, 3) : random.integer(0, 12));
}

std::int64_t random_channels(Random& random) {
  constexpr std::array<std::int64_t, 18> counts{
      1, 1, 2, 3, 3, 5, 7, 8, 13, 15, 16, 16, 17, 24, 31, 32, 40, 64};
  return counts[static_cast<std::size_t>(random.integer(0, std::ssize(counts) - 1))];
}

void set_channels(KernelSpec& spec, Random& random) {
  if (happens(random, 25)) spec.groups = random.integer(2, 5);
  const bool is_depthwise = happens(random, 10);
  if (is_depthwise) spec.groups = random_channels(random);
  spec.in[Dim::c] = spec.groups * (is_depthwise ? 1 : random_channels(random));
  spec.out[Dim::c] = spec.groups * (is_depthwise ? 1 : random_channels(random));
}

KernelSpec draw(Random& random) {
  KernelSpec spec;
  spec.phase =
      std::array{KernelPhase::forward,
                 KernelPhase::backward_data,
                 KernelPhase::backward_filter,
                 KernelPhase::backward_filter}[static_cast<std::size_t>(random.integer(0, 3))];
  spec.in[Dim::n] = spec.out[Dim::n] = random.integer(1, 3);
  const std::int64_t first_dim = std::max<std::int64_t>(0, random.integer(-1, 2));
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    WindowDim& dim = spec.window.dims[i];
    const Dim axis = spatial_dims[i];
    if (std::cmp_greater_equal(i, first_dim)) dim = random_dim(random);
    spec.in[axis] = dim == WindowDim{} ? 1 : random_length(random, dim);
    spec.out[axis] = output_length(spec.in[axis], dim);
    // A block may have more inputs than its outputs need.
    if (happens(random, 10)) spec.out[axis] = random.integer(1, spec.out[axis]);
  }
  set_channels(spec, random);
  spec.bias = spec.phase != KernelPhase::backward_data && random.coin();
  spec.relu = spec.phase == KernelPhase::forward && random.coin();
  return spec;
}

}  // namespace

KernelSpec random_convolution(Random& random, Precision precision) {
  while (true) {
    KernelSpec spec = draw(random);
    spec.precision = precision;
    const std::int64_t products = volume(spec.out) / spec.out[Dim::c] * weight_volume(spec);
    if (products <= most_products) return spec;
  }
}

}  // namespace cnnplan::test
