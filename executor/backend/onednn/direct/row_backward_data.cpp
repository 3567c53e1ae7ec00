// Computes the gradient of a convolution's input from gathered rows of dy. Each class of inputs
// that see equal taps is a convolution of dy without stride.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "executor/backend/onednn/direct/direct_kernels.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "executor/backend/onednn/direct/make_direct_kernel.hpp"
#include "executor/backend/onednn/direct/row_convolution.hpp"
#include "executor/backend/onednn/direct/stored_places.hpp"
#include "executor/backend/onednn/packed/input_classes.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Joins a class and the convolution that makes its gradient.
struct Part {
  InputClass inputs;
  RowConvolution convolution;

  std::int64_t packed_floats() const {
    return convolution.spans().count() * convolution.matrix_floats();
  }
};

std::vector<Part> parts_of(const KernelSpec& spec) {
  std::vector<Part> parts;
  for (InputClass& one : input_classes(spec)) {
    one.convolution.groups = spec.groups;
    RowConvolution convolution(one.convolution);
    parts.push_back({std::move(one), convolution});
  }
  return parts;
}

class RowBackwardData {
 public:
  explicit RowBackwardData(const KernelSpec& spec)
      : spec_(spec), places_(spec), parts_(parts_of(spec)) {
    for (const Part& part : parts_) {
      floats_ = std::max(floats_, part.convolution.workspace_floats() + part.packed_floats());
      reached_ += volume(part.inputs.convolution.out);
    }
  }

  std::int64_t workspace_bytes() const {
    return floats_ * static_cast<std::int64_t>(sizeof(float));
  }

  template <typename T>
  void run(const OperandsByRole& operands) const {
    T* const dx = operands[Role::dx].as<T>();
    if (reached_ < volume(spec_.in)) std::fill_n(dx, volume(spec_.in), T(0.0F));
    const Workspace workspace(workspace_bytes());
    auto* const packed = reinterpret_cast<float*>(workspace.data());
    for (const Part& part : parts_) {
      pack(part, operands[Role::weight].as<const T>(), packed);
      const auto write = [&](const SumBlock& block) { write_block(part, block, dx); };
      part.convolution.run(
          operands[Role::dy].as<const T>(),
          {{packed, part.convolution.spans().most_filters()}, part.convolution.matrix_floats()},
          packed + part.packed_floats(),
          std::ref(write));
    }
  }

 private:
  // The channels of the part's convolution are filters of the kernel's, and its filters are
  // channels.
  template <typename T>
  void pack(const Part& part, const T* weight, float* to) const {
    const GroupSpans& spans = part.convolution.spans();
    if (spans.together > 1) std::fill_n(to, part.packed_floats(), 0.0F);
    for (std::int64_t span = 0; span < spans.count(); ++span) {
      const Range groups = spans.groups_of(span);
      float* block = to + span * part.convolution.matrix_floats();
      for (const std::int64_t tap : part.inputs.taps) {
        for (std::int64_t group = groups.begin; group < groups.end; ++group) {
          pack_group(spans, weight, group, tap, block + (group - groups.begin) * spans.filters);
          block += spans.channels * spans.most_filters();
        }
      }
    }
  }

  template <typename T>
  void pack_group(const GroupSpans& spans,
                  const T* weight,
                  std::int64_t group,
                  std::int64_t tap,
                  float* to) const {
    constexpr std::int64_t block = GroupSpans::wide;
    for (std::int64_t c = 0; c < spans.filters; ++c) {
      const T* const stored = weight + places_.row(group, c, tap);
      for (std::int64_t f = 0; f < spans.channels; f += block) {
        const std::int64_t count = std::min(block, spans.channels - f);
        const T* const from = stored + places_.filter(f);
        float* const column = to + f * spans.most_filters() + c;
        for (std::int64_t i = 0; i < count; ++i) column[i * spans.most_filters()] = from[i];
      }
    }
  }

  template <typename T>
  void write_block(const Part& part, const SumBlock& block, T* dx) const {
    const float* sums = block.sums;
    for (std::int64_t position = block.positions.begin; position < block.positions.end;
         ++position) {
      T* const to = dx + input_position(spec_, part.inputs, position) * spec_.in[Dim::c] +
                    block.filters.begin;
      finish(sums, nullptr, false, block.filters.size(), to);
      sums += block.filters.size();
    }
  }

  KernelSpec spec_;
  StoredPlaces places_;
  std::vector<Part> parts_;
  std::int64_t floats_ = 0;
  std::int64_t reached_ = 0;  // elements of dx that have a gradient
};

}  // namespace

std::unique_ptr<Kernel> make_row_backward_data(const KernelSpec& spec) {
  return make_direct_kernel("gathered rows", spec, RowBackwardData(spec));
}

}  // namespace cnnplan::onednn
