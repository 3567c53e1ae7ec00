// Chooses how a convolution runs. On ResNet-50, pointwise convolutions are fastest as one plain
// matrix product over all positions. Fully connected layers of few samples are fastest as a single
// pass over the weights. With AVX2, packed panels are faster for most windows over many channels,
// and for gradients of pointwise filters whose rows collide in a cache. Everything else is oneDNN's
// convolution. Where oneDNN has no fast and right kernel, our direct convolution runs.
#include "executor/backend/onednn/convolution/convolution.hpp"

#include <algorithm>
#include <utility>

#include <omp.h>

#include "executor/backend/onednn/direct/direct_convolution.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/vectorize.hpp"
#include "executor/backend/onednn/weight_format.hpp"

namespace cnnplan::onednn {
namespace {

template <typename Predicate>
bool all_dims_of(const KernelSpec& spec, Predicate predicate) {
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    if (!predicate(spec.window.dims[i], spatial_dims[i])) return false;
  }
  return true;
}

bool has_empty_extent(const KernelSpec& spec) {
  return volume(spec.in) * volume(spec.out) == 0;
}

bool is_pointwise(const KernelSpec& spec) {
  return all_dims_of(spec, [&](const WindowDim& dim, Dim axis) {
    return dim.kernel == 1 && dim.padding_begin == 0 &&
           (spec.out[axis] - 1) * dim.stride < spec.in[axis];
  });
}

bool is_strided(const KernelSpec& spec) {
  return !all_dims_of(spec, [](const WindowDim& dim, Dim) { return dim.stride == 1; });
}

bool has_same_positions(const KernelSpec& spec) {
  return all_dims_of(spec,
                     [&](const WindowDim&, Dim axis) { return spec.in[axis] == spec.out[axis]; });
}

bool is_fully_connected(const KernelSpec& spec) {
  return all_dims_of(spec, [&](const WindowDim& dim, Dim axis) {
    return dim.kernel == spec.in[axis] && dim.dilation == 1 && dim.padding_begin == 0 &&
           spec.out[axis] == 1;
  });
}

// Returns a pointwise convolution over a single line of positions that has the products of `spec`.
KernelSpec as_rows(const KernelSpec& spec) {
  KernelSpec rows = spec;
  const std::int64_t count = volume(spec.out) / spec.out[Dim::c];
  const std::int64_t depth = is_pointwise(spec) ? spec.in[Dim::c] : volume(spec.in) / count;
  rows.in = {{1, depth, 1, 1, count}};
  rows.out = {{1, spec.out[Dim::c], 1, 1, count}};
  rows.window = Window{};
  return rows;
}

// One thread multiplies panels. Where the compiler makes no versions of their loops, the loops are
// SSE2. With AVX-512 they were not compared to oneDNN's kernels (scripts/bench convolutions does
// it).
bool suits_panels(const KernelSpec& spec) {
  return CNNPLAN_HAS_VERSIONS && has_avx2_alone() && omp_get_max_threads() == 1 &&
         spec.algorithm == KernelAlgorithm::direct;
}

// Returns true for rows of activations that fall into the same few sets of a cache, with enough
// rows for packing to pay. Packing then takes 0.5 to 0.95 of oneDNN's time; other rows took up to
// 1.4. Where both sides have more channels, oneDNN packs them, too. Where both have fewer, packing
// costs as much as collisions do.
bool has_colliding_rows(const KernelSpec& spec) {
  constexpr std::int64_t colliding_row = 256;  // 1 KiB
  constexpr std::int64_t least_positions = 100;
  const std::int64_t fewer = std::min(spec.in[Dim::c], spec.out[Dim::c]);
  const std::int64_t more = std::max(spec.in[Dim::c], spec.out[Dim::c]);
  return more % colliding_row == 0 && fewer <= colliding_row &&
         (fewer >= colliding_row / 2 || more >= 2 * colliding_row) &&
         volume(spec.out) / spec.out[Dim::c] >= least_positions;
}

std::int64_t taps_of(const Window& window) {
  return window.dims[0].kernel * window.dims[1].kernel * window.dims[2].kernel;
}

// Panels are faster for windows over many channels. Gradients of their filters take 0.6 to 0.95 of
// oneDNN's time. Forward, windows of up to nine taps take 0.73 to 1.03, and windows of 25 and 27
// taps take 1.0 to 1.25. Gradients of inputs with a stride take 0.75 to 1.0 where there is enough
// work to transpose the weights. With fewer channels or positions, or without a stride, they take
// 1.0 to 1.16.
bool prefers_panels(const KernelSpec& spec) {
  constexpr std::int64_t most_taps = 9;
  constexpr std::int64_t many_in_gradients = 256;
  constexpr std::int64_t least_positions = 150;
  if (!suits_panels(spec)) return false;
  if (spec.window == Window{}) {
    return spec.phase == KernelPhase::backward_filter && has_colliding_rows(spec);
  }
  const std::int64_t fewer = std::min(spec.in[Dim::c], spec.out[Dim::c]);
  if (spec.phase == KernelPhase::backward_filter) return fewer >= many_window_channels;
  if (taps_of(spec.window) > most_taps) return false;
  if (spec.phase == KernelPhase::forward) return fewer >= many_window_channels;
  return is_strided(spec) && fewer >= many_in_gradients &&
         volume(spec.out) / spec.out[Dim::c] >= least_positions;
}

std::unique_ptr<Kernel> make_panels_or_primitive(const Library& library, const KernelSpec& spec) {
  if (prefers_panels(spec) && has_packed_kernel(spec)) return make_packed_kernel(spec);
  if (spec.algorithm != KernelAlgorithm::direct) return make_convolution_primitive(library, spec);
  auto primitive = find_convolution_primitive(library, spec);
  return primitive ? std::move(primitive) : make_direct_convolution(spec);
}

std::unique_ptr<Kernel> make_matrix_product(const Library& library, const KernelSpec& spec) {
  const KernelSpec rows = as_rows(spec);
  if (rows.in[Dim::w] <= thin_rows) return make_thin_product(rows);
  return make_panels_or_primitive(library, rows);
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(const Library& library,
                                         const KernelSpec& spec,
                                         const KernelConstants&) {
  if (has_empty_extent(spec)) return make_empty_convolution(spec);
  const bool is_product =
      spec.algorithm == KernelAlgorithm::direct && weight_format(spec) == WeightFormat::rows;
  if (is_product && is_pointwise(spec)) {
    auto product = make_matrix_product(library, spec);
    return has_same_positions(spec) ? std::move(product)
                                    : make_strided_pointwise(spec, std::move(product));
  }
  if (is_product && is_fully_connected(spec)) return make_matrix_product(library, spec);
  return make_panels_or_primitive(library, spec);
}

}  // namespace cnnplan::onednn
