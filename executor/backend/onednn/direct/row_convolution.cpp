// Gathers some taps of some positions at a time, and adds their products.
#include "executor/backend/onednn/direct/row_convolution.hpp"

#include "executor/backend/half.hpp"

namespace cnnplan::onednn {
namespace {

// A block of gathered inputs has 256 KiB, which a second cache holds next to the weights.
constexpr std::int64_t floats_together = std::int64_t{64} << 10;
constexpr std::int64_t least_positions = 128;
constexpr std::int64_t most_positions = 1024;

}  // namespace

RowConvolution::RowConvolution(const KernelSpec& convolution)
    : spans_(convolution),
      rows_(convolution),
      positions_together_(
          std::min(rows_.positions(),
                   std::clamp(floats_together / block_columns(), least_positions, most_positions))),
      threads_(threads_for(blocks() * spans_.count())) {}

std::int64_t RowConvolution::block_columns() const {
  const std::int64_t channels = channels_together(spans_.most_channels());
  return taps_together(taps(), channels) * channels;
}

template <typename T>
void RowConvolution::add_products(const T* x,
                                  const SpanMatrices& weight,
                                  std::int64_t span,
                                  Range positions,
                                  float* workspace) const {
  const Range channels = spans_.channels_of(span);
  const std::int64_t filters = spans_.filters_of(span).size();
  const std::int64_t together = channels_together(channels.size());
  const std::int64_t taps_at_once = taps_together(taps(), together);
  float* const gathered = workspace + positions_together_ * spans_.most_filters();
  const float* const matrix = weight.first.data + span * weight.per_span;
  const Range inside = rows_.taps_inside(positions);
  if (inside.size() == 0) std::fill_n(workspace, positions.size() * filters, 0.0F);
  for (std::int64_t tap = inside.begin; tap < inside.end; tap += taps_at_once) {
    for (std::int64_t c = 0; c < channels.size(); c += together) {
      const RowBlock block{
          .positions = positions,
          .taps = {tap, std::min(tap + taps_at_once, inside.end)},
          .channels = {channels.begin + c, std::min(channels.begin + c + together, channels.end)}};
      multiply(rows_.gather(x, block, gathered),
               {matrix + (tap * channels.size() + c) * weight.first.step, weight.first.step},
               {.rows = positions.size(), .columns = filters, .depth = block.columns()},
               tap > inside.begin || c > 0,
               {workspace, filters});
    }
  }
}

template <typename T>
void RowConvolution::run(const T* x,
                         const SpanMatrices& weight,
                         float* workspace,
                         const Write& write) const {
  for_each_job(spans_.count() * blocks(), threads_, [&](std::int64_t job, int thread) {
    const std::int64_t span = job / blocks();
    const Range positions = block_range(job % blocks(), positions_together_, rows_.positions());
    float* const own = workspace + thread * floats_per_thread();
    add_products(x, weight, span, positions, own);
    write({.positions = positions, .filters = spans_.filters_of(span), .sums = own});
  });
}

template void RowConvolution::run(const float*, const SpanMatrices&, float*, const Write&) const;
template void RowConvolution::run(const BFloat16*, const SpanMatrices&, float*, const Write&) const;

}  // namespace cnnplan::onednn
