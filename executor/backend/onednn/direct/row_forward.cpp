// Computes a convolution forward from gathered rows.
#include <algorithm>
#include <functional>

#include "executor/backend/onednn/direct/direct_kernels.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "executor/backend/onednn/direct/make_direct_kernel.hpp"
#include "executor/backend/onednn/direct/row_convolution.hpp"
#include "executor/backend/onednn/direct/stored_places.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

class RowForward {
 public:
  explicit RowForward(const KernelSpec& spec) : spec_(spec), places_(spec), convolution_(spec) {}

  std::int64_t workspace_bytes() const {
    return (convolution_.workspace_floats() + packed_floats()) *
           static_cast<std::int64_t>(sizeof(float));
  }

  template <typename T>
  void run(const OperandsByRole& operands) const {
    const Workspace workspace(workspace_bytes());
    auto* const floats = reinterpret_cast<float*>(workspace.data());
    const float* const bias = spec_.bias ? operands[Role::bias].as<const float>() : nullptr;
    T* const y = operands[Role::y].as<T>();
    const auto write = [&](const SumBlock& block) { write_block(block, bias, y); };
    convolution_.run(operands[Role::x].as<const T>(),
                     matrices(operands[Role::weight].as<const T>(), floats),
                     floats + packed_floats(),
                     std::ref(write));
  }

 private:
  const GroupSpans& spans() const { return convolution_.spans(); }
  bool reads_stored_weight() const {
    return spec_.precision == Precision::fp32 && spans().together == 1 && places_.matrix_step() > 0;
  }
  std::int64_t packed_floats() const {
    return reads_stored_weight() ? 0 : spans().count() * convolution_.matrix_floats();
  }

  template <typename T>
  SpanMatrices matrices(const T* weight, float* packed) const {
    if constexpr (std::is_same_v<T, float>) {
      if (reads_stored_weight()) return {{weight, places_.matrix_step()}, spans().filters};
    }
    pack(weight, packed);
    return {{packed, spans().most_filters()}, convolution_.matrix_floats()};
  }

  template <typename T>
  void pack(const T* weight, float* to) const {
    if (spans().together > 1) std::fill_n(to, packed_floats(), 0.0F);
    for (std::int64_t span = 0; span < spans().count(); ++span) {
      for (std::int64_t tap = 0; tap < convolution_.taps(); ++tap) {
        const Range groups = spans().groups_of(span);
        float* row = to + span * convolution_.matrix_floats() +
                     tap * groups.size() * spans().channels * spans().most_filters();
        for (std::int64_t group = groups.begin; group < groups.end; ++group) {
          for (std::int64_t c = 0; c < spans().channels; ++c, row += spans().most_filters()) {
            pack_row(weight + places_.row(group, c, tap),
                     row + (group - groups.begin) * spans().filters);
          }
        }
      }
    }
  }

  template <typename T>
  void pack_row(const T* stored, float* to) const {
    constexpr std::int64_t block = GroupSpans::wide;
    for (std::int64_t f = 0; f < spans().filters; f += block) {
      const std::int64_t count = std::min(block, spans().filters - f);
      std::copy_n(stored + places_.filter(f), count, to + f);
    }
  }

  template <typename T>
  void write_block(const SumBlock& block, const float* bias, T* y) const {
    const float* sums = block.sums;
    T* to = y + block.positions.begin * spec_.out[Dim::c] + block.filters.begin;
    const float* const own_bias = bias ? bias + block.filters.begin : nullptr;
    for (std::int64_t i = 0; i < block.positions.size(); ++i) {
      finish(sums, own_bias, spec_.relu, block.filters.size(), to);
      sums += block.filters.size();
      to += spec_.out[Dim::c];
    }
  }

  KernelSpec spec_;
  StoredPlaces places_;
  RowConvolution convolution_;
};

}  // namespace

std::unique_ptr<Kernel> make_row_forward(const KernelSpec& spec) {
  return make_direct_kernel("gathered rows", spec, RowForward(spec));
}

}  // namespace cnnplan::onednn
