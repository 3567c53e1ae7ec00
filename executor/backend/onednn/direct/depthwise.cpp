// Computes convolutions of which each group has one channel and one filter, by vectors of channels.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "executor/backend/onednn/direct/direct_kernels.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "executor/backend/onednn/direct/jobs.hpp"
#include "executor/backend/onednn/direct/make_direct_kernel.hpp"
#include "executor/backend/onednn/direct/stored_places.hpp"
#include "executor/backend/onednn/direct/tap_places.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Sums of a few taps and this many channels stay in the first cache.
constexpr std::int64_t channel_block = 128;
// This many positions are summed before they are finished.
constexpr std::int64_t run_positions = 8;

class Depthwise {
 public:
  explicit Depthwise(const KernelSpec& spec)
      : spec_(spec),
        places_(spec),
        weight_elements_(stored_weight(spec).get_size() / sizeof(float)),
        channels_(spec.groups),
        taps_(weight_volume(spec) / channels_),
        positions_(volume(is_backward_data() ? spec.in : spec.out) / channels_),
        threads_(threads_for(jobs())),
        places_of_threads_(threads_, TapPlaces(spec)) {}

  std::int64_t workspace_bytes() const {
    const std::int64_t of_thread = is_filter_gradient() ? gradient_bytes() : sum_bytes();
    return threads_ * of_thread + (is_filter_gradient() ? 0 : packed_bytes());
  }

  template <typename T>
  void run(const OperandsByRole& operands) {
    const Workspace workspace(workspace_bytes());
    if (is_filter_gradient()) {
      std::fill_n(operands[Role::dweight].as<float>(), weight_elements_, 0.0F);
      for_each_job(jobs(), threads_, [&](std::int64_t job, int thread) {
        sum_channels<T>(operands,
                        block_range(job, channel_block, channels_),
                        places_of_threads_[thread],
                        workspace.data() + thread * gradient_bytes());
      });
      return;
    }
    auto* const weight = reinterpret_cast<float*>(workspace.data());
    pack(operands[Role::weight].as<const T>(), weight);
    for_each_job(jobs(), threads_, [&](std::int64_t job, int thread) {
      std::byte* const sums = workspace.data() + packed_bytes() + thread * sum_bytes();
      multiply_positions<T>(operands,
                            block_range(job, positions_in_fp32, positions_),
                            places_of_threads_[thread],
                            weight,
                            reinterpret_cast<float*>(sums));
    });
  }

 private:
  bool is_backward_data() const { return spec_.phase == KernelPhase::backward_data; }
  bool is_filter_gradient() const { return spec_.phase == KernelPhase::backward_filter; }
  // Returns the blocks of channels or positions.
  std::int64_t jobs() const {
    return is_filter_gradient() ? block_count(channels_, channel_block)
                                : block_count(positions_, positions_in_fp32);
  }
  std::int64_t packed_bytes() const { return whole_lines(taps_ * channels_ * sizeof(float)); }
  std::int64_t sum_bytes() const { return whole_lines(run_positions * channels_ * sizeof(float)); }
  std::int64_t gradient_bytes() const {
    const std::int64_t sums = taps_ * std::min(channels_, channel_block);
    const std::int64_t bias_sums = channel_block;
    return whole_lines(sums * (sizeof(double) + sizeof(float)) + bias_sums * sizeof(double));
  }

  // Writes (taps, channels).
  template <typename T>
  void pack(const T* weight, float* to) const {
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      for (std::int64_t c = 0; c < channels_; ++c) *to++ = weight[places_.row(c, 0, tap)];
    }
  }

  // Writes outputs or gradients of inputs.
  template <typename T>
  void multiply_positions(const OperandsByRole& operands,
                          Range positions,
                          TapPlaces& places,
                          const float* weight,
                          float* sums) const {
    const T* const from = operands[is_backward_data() ? Role::dy : Role::x].as<const T>();
    T* const to = operands[is_backward_data() ? Role::dx : Role::y].as<T>();
    const bool has_bias = spec_.bias && !is_backward_data();
    const float* const bias = has_bias ? operands[Role::bias].as<const float>() : nullptr;
    const bool relu = spec_.relu && !is_backward_data();
    const ChannelSteps steps{.position = channels_, .tap = channels_, .channels = channels_};
    for (std::int64_t position = positions.begin; position < positions.end;) {
      TapRun run = is_backward_data() ? places.of_input(position) : places.of_output(position);
      run.positions = std::min({run.positions, positions.end - position, run_positions});
      multiply_taps(from, weight, run, steps, sums);
      for (std::int64_t i = 0; i < run.positions; ++i, ++position) {
        finish(sums + i * channels_, bias, relu, channels_, to + position * channels_);
      }
    }
  }

  // Writes the gradients of the weights and the bias of some channels.
  template <typename T>
  void sum_channels(const OperandsByRole& operands,
                    Range channels,
                    TapPlaces& places,
                    std::byte* workspace) const {
    const std::int64_t count = channels.size();
    auto* const sums = reinterpret_cast<double*>(workspace);
    double* const bias_sums = sums + taps_ * count;
    auto* const few = reinterpret_cast<float*>(bias_sums + count);
    std::fill_n(sums, (taps_ + 1) * count, 0.0);
    const T* const x = operands[Role::x].as<const T>() + channels.begin;
    const T* const dy = operands[Role::dy].as<const T>() + channels.begin;
    const ChannelSteps steps{.position = channels_, .tap = count, .channels = count};
    for (std::int64_t begin = 0; begin < positions_; begin += positions_in_fp32) {
      std::fill_n(few, taps_ * count, 0.0F);
      const std::int64_t end = std::min(begin + positions_in_fp32, positions_);
      for (std::int64_t position = begin; position < end;) {
        TapRun run = places.of_output(position);
        run.positions = std::min(run.positions, end - position);
        add_outer_taps(x, dy + position * channels_, run, steps, few);
        position += run.positions;
      }
      for (std::int64_t position = begin; spec_.bias && position < end; ++position) {
        add_to_doubles(dy + position * channels_, count, bias_sums);
      }
      add_to_doubles(few, taps_ * count, sums);
    }
    store(operands, channels, sums, bias_sums);
  }

  void store(const OperandsByRole& operands,
             Range channels,
             const double* sums,
             const double* bias_sums) const {
    auto* const dweight = operands[Role::dweight].as<float>();
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      for (std::int64_t c = channels.begin; c < channels.end; ++c) {
        dweight[places_.row(c, 0, tap)] = static_cast<float>(*sums++);
      }
    }
    if (!spec_.bias) return;
    std::copy_n(bias_sums, channels.size(), operands[Role::dbias].as<float>() + channels.begin);
  }

  KernelSpec spec_;
  StoredPlaces places_;
  std::int64_t weight_elements_;
  std::int64_t channels_;
  std::int64_t taps_;
  std::int64_t positions_;  // of inputs in backward data, otherwise of outputs
  int threads_;
  std::vector<TapPlaces> places_of_threads_;
};

}  // namespace

std::unique_ptr<Kernel> make_depthwise(const KernelSpec& spec) {
  if (spec.groups != spec.in[Dim::c] || spec.groups != spec.out[Dim::c]) {
    throw std::logic_error("a group has several channels or filters");
  }
  return make_direct_kernel("depthwise loops", spec, Depthwise(spec));
}

}  // namespace cnnplan::onednn
