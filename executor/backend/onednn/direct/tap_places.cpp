// Joins what the taps of each dim meet.
#include "executor/backend/onednn/direct/tap_places.hpp"

#include <algorithm>

namespace cnnplan::onednn {
namespace {

void find_inputs(const WindowDim& dim,
                 std::int64_t output,
                 std::int64_t inputs,
                 std::vector<TapPlace>& to) {
  for (std::int64_t tap = 0; tap < dim.kernel; ++tap) {
    const std::int64_t input = output * dim.stride - dim.padding_begin + tap * dim.dilation;
    if (input >= 0 && input < inputs) to.push_back({tap, input});
  }
}

void find_outputs(const WindowDim& dim,
                  std::int64_t input,
                  std::int64_t outputs,
                  std::vector<TapPlace>& to) {
  for (std::int64_t tap = 0; tap < dim.kernel; ++tap) {
    const std::int64_t padded = input + dim.padding_begin - tap * dim.dilation;
    if (padded < 0 || padded % dim.stride != 0) continue;
    if (padded / dim.stride < outputs) to.push_back({tap, padded / dim.stride});
  }
}

}  // namespace

TapPlaces::TapPlaces(const KernelSpec& convolution) : spec_(convolution) {
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    dims_[i].reserve(spec_.window.dims[i].kernel);
    taps *= spec_.window.dims[i].kernel;
  }
  places_.reserve(taps);
}

void TapPlaces::join(std::int64_t outer, const Shape& to) {
  places_.clear();
  const auto& [depth, height, width] = spec_.window.dims;
  for (const TapPlace& d : dims_[0]) {
    for (const TapPlace& h : dims_[1]) {
      const std::int64_t line = d.tap * height.kernel + h.tap;
      const std::int64_t row = (outer * to[Dim::d] + d.position) * to[Dim::h] + h.position;
      for (const TapPlace& w : dims_[2]) {
        places_.push_back({line * width.kernel + w.tap, row * to[Dim::w] + w.position});
      }
    }
  }
}

template <typename Find>
std::int64_t TapPlaces::find_all(std::int64_t position,
                                 const Shape& from,
                                 const Shape& to,
                                 Find find) {
  const std::int64_t column = position % from[Dim::w];
  for (std::size_t i = dims_.size(); i-- > 0;) {
    const Dim axis = spatial_dims[i];
    dims_[i].clear();
    find(spec_.window.dims[i], position % from[axis], to[axis], dims_[i]);
    position /= from[axis];
  }
  join(position, to);
  return column;
}

TapRun TapPlaces::of_output(std::int64_t position) {
  const std::int64_t column = find_all(position, spec_.out, spec_.in, find_inputs);
  const WindowDim& width = spec_.window.dims[2];
  TapRun run{.places = places_, .positions = 1, .step = width.stride};
  if (std::ssize(dims_[2]) < width.kernel) return run;
  const std::int64_t inputs_after = spec_.in[Dim::w] - 1 - dims_[2].back().position;
  run.positions = std::min(inputs_after / width.stride + 1, spec_.out[Dim::w] - column);
  return run;
}

TapRun TapPlaces::of_input(std::int64_t position) {
  const std::int64_t column = find_all(position, spec_.in, spec_.out, find_outputs);
  const WindowDim& width = spec_.window.dims[2];
  TapRun run{.places = places_, .positions = 1, .step = 1};
  if (width.stride > 1 || std::ssize(dims_[2]) < width.kernel) return run;
  const std::int64_t outputs_after = spec_.out[Dim::w] - 1 - dims_[2].front().position;
  run.positions = std::min(outputs_after + 1, spec_.in[Dim::w] - column);
  return run;
}

}  // namespace cnnplan::onednn
