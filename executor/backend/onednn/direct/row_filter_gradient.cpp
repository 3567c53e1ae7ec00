// Computes the gradient of filters as products of gathered rows and dy. Products of a few positions
// are summed in fp32, and their sums in doubles, so that errors do not grow with the positions.
#include <algorithm>

#include "executor/backend/onednn/direct/direct_kernels.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "executor/backend/onednn/direct/group_spans.hpp"
#include "executor/backend/onednn/direct/jobs.hpp"
#include "executor/backend/onednn/direct/make_direct_kernel.hpp"
#include "executor/backend/onednn/direct/product.hpp"
#include "executor/backend/onednn/direct/stored_places.hpp"
#include "executor/backend/onednn/direct/window_rows.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Sums of 512 columns and 128 filters fit in a second cache.
constexpr std::int64_t filters_together = 128;

// Holds a block of the gradient of one span.
struct GradientBlock {
  std::int64_t span = 0;
  Range taps;
  Range channels;
  Range filters;

  std::int64_t rows() const { return taps.size() * channels.size(); }
};

// Points at the memory of one thread.
struct Scratch {
  double* sums = nullptr;       // (rows of the block, filters)
  double* bias_sums = nullptr;  // of the filters
  float* products = nullptr;    // as sums
  float* gathered = nullptr;    // (positions, rows of the block)
  float* gradients = nullptr;   // (positions, filters)
};

class RowFilterGradient {
 public:
  explicit RowFilterGradient(const KernelSpec& spec)
      : spec_(spec),
        places_(spec),
        spans_(spec),
        rows_(spec),
        weight_elements_(stored_weight(spec).get_size() / sizeof(float)),
        threads_(threads_for(blocks())) {}

  std::int64_t workspace_bytes() const { return threads_ * bytes_per_thread(); }

  template <typename T>
  void run(const OperandsByRole& operands) const {
    const Workspace workspace(workspace_bytes());
    std::fill_n(operands[Role::dweight].as<float>(), weight_elements_, 0.0F);
    for_each_job(blocks(), threads_, [&](std::int64_t job, int thread) {
      const Scratch scratch = scratch_in(workspace.data() + thread * bytes_per_thread());
      run_block<T>(block_of(job), operands, scratch);
    });
  }

 private:
  std::int64_t most_channels() const { return channels_together(spans_.most_channels()); }
  std::int64_t most_taps() const { return taps_together(rows_.taps(), most_channels()); }
  std::int64_t most_rows() const { return most_taps() * most_channels(); }
  std::int64_t most_filters() const { return std::min(filters_together, spans_.most_filters()); }
  std::int64_t tap_blocks() const { return block_count(rows_.taps(), most_taps()); }
  std::int64_t channel_blocks() const {
    return block_count(spans_.most_channels(), most_channels());
  }
  std::int64_t filter_blocks() const { return block_count(spans_.most_filters(), most_filters()); }
  std::int64_t blocks() const {
    return spans_.count() * tap_blocks() * channel_blocks() * filter_blocks();
  }

  std::int64_t bytes_per_thread() const {
    const std::int64_t doubles = (most_rows() + 1) * most_filters();
    const std::int64_t floats =
        most_rows() * most_filters() + positions_in_fp32 * (most_rows() + most_filters());
    return whole_lines(doubles * sizeof(double) + floats * sizeof(float));
  }

  Scratch scratch_in(std::byte* workspace) const {
    Scratch scratch{.sums = reinterpret_cast<double*>(workspace)};
    scratch.bias_sums = scratch.sums + most_rows() * most_filters();
    scratch.products = reinterpret_cast<float*>(scratch.bias_sums + most_filters());
    scratch.gathered = scratch.products + most_rows() * most_filters();
    scratch.gradients = scratch.gathered + positions_in_fp32 * most_rows();
    return scratch;
  }

  GradientBlock block_of(std::int64_t job) const {
    const auto part_of = [&job](Range all, std::int64_t together, std::int64_t parts) {
      const Range part = block_range(job % parts, together, all.size());
      job /= parts;
      return Range{all.begin + part.begin, all.begin + part.end};
    };
    GradientBlock block{.span = job % spans_.count()};
    job /= spans_.count();
    block.filters = part_of(spans_.filters_of(block.span), most_filters(), filter_blocks());
    block.channels = part_of(spans_.channels_of(block.span), most_channels(), channel_blocks());
    block.taps = part_of({0, rows_.taps()}, most_taps(), tap_blocks());
    return block;
  }

  template <typename T>
  void run_block(const GradientBlock& block,
                 const OperandsByRole& operands,
                 const Scratch& scratch) const {
    const bool sums_bias = spec_.bias && block.taps.begin == 0 &&
                           block.channels.begin == spans_.channels_of(block.span).begin;
    const std::int64_t count = block.rows() * block.filters.size();
    std::fill_n(scratch.sums, count, 0.0);
    std::fill_n(scratch.bias_sums, block.filters.size(), 0.0);
    const T* const dy = operands[Role::dy].as<const T>() + block.filters.begin;
    for (std::int64_t begin = 0; begin < rows_.positions(); begin += positions_in_fp32) {
      const Range positions{begin, std::min(begin + positions_in_fp32, rows_.positions())};
      const T* const gradients = dy + begin * spec_.out[Dim::c];
      const Range taps = intersect(block.taps, rows_.taps_inside(positions));
      if (taps.size() > 0) {
        GradientBlock part = block;
        part.taps = taps;
        multiply_rows<T>(part, positions, operands, scratch);
        const std::int64_t skipped = (taps.begin - block.taps.begin) * block.channels.size();
        add_to_doubles(scratch.products,
                       part.rows() * block.filters.size(),
                       scratch.sums + skipped * block.filters.size());
      }
      if (sums_bias) add_bias(gradients, positions.size(), block, scratch.bias_sums);
    }
    store(block, scratch.sums, operands[Role::dweight].as<float>());
    if (!sums_bias) return;
    std::copy_n(scratch.bias_sums,
                block.filters.size(),
                operands[Role::dbias].as<float>() + block.filters.begin);
  }

  // Writes the products of some positions.
  template <typename T>
  void multiply_rows(const GradientBlock& block,
                     Range positions,
                     const OperandsByRole& operands,
                     const Scratch& scratch) const {
    const T* const x = operands[Role::x].as<const T>();
    const T* const dy = operands[Role::dy].as<const T>() + block.filters.begin;
    multiply_transposed(
        rows_.gather(x, {positions, block.taps, block.channels}, scratch.gathered),
        as_floats(
            dy + positions.begin * spec_.out[Dim::c], positions.size(), block, scratch.gradients),
        {block.rows(), block.filters.size(), positions.size()},
        {scratch.products, block.filters.size()});
  }

  template <typename T>
  ConstMatrix as_floats(const T* gradients,
                        std::int64_t positions,
                        const GradientBlock& block,
                        float* floats) const {
    const std::int64_t filters = block.filters.size();
    if constexpr (std::is_same_v<T, float>) return {gradients, spec_.out[Dim::c]};
    for (std::int64_t i = 0; i < positions; ++i) {
      std::copy_n(gradients + i * spec_.out[Dim::c], filters, floats + i * filters);
    }
    return {floats, filters};
  }

  template <typename T>
  void add_bias(const T* gradients,
                std::int64_t positions,
                const GradientBlock& block,
                double* sums) const {
    for (std::int64_t i = 0; i < positions; ++i) {
      add_to_doubles(gradients + i * spec_.out[Dim::c], block.filters.size(), sums);
    }
  }

  // Leaves out the products of a group's channels with filters of another group.
  void store(const GradientBlock& block, const double* sums, float* dweight) const {
    for (std::int64_t tap = block.taps.begin; tap < block.taps.end; ++tap) {
      for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) {
        const std::int64_t group = c / spans_.channels;
        const Range own =
            intersect(block.filters, {group * spans_.filters, (group + 1) * spans_.filters});
        float* const to = dweight + places_.row(group, c % spans_.channels, tap);
        for (std::int64_t f = own.begin; f < own.end; ++f) {
          to[places_.filter(f - group * spans_.filters)] =
              static_cast<float>(sums[f - block.filters.begin]);
        }
        sums += block.filters.size();
      }
    }
  }

  KernelSpec spec_;
  StoredPlaces places_;
  GroupSpans spans_;
  WindowRows rows_;
  std::int64_t weight_elements_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> make_row_filter_gradient(const KernelSpec& spec) {
  return make_direct_kernel("gathered rows", spec, RowFilterGradient(spec));
}

}  // namespace cnnplan::onednn
