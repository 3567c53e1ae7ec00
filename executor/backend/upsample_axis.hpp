// The upsampling of a block, dim by dim: which input an output repeats, and back.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Places are local to the blocks.
struct UpsampleAxis {
  std::int32_t factor = 1;
  std::int32_t phase = 0;  // of the first output in what repeats the first input
  std::int32_t outputs = 1;

  // `window` as in KernelSpec.
  UpsampleAxis(const WindowDim& window, std::int64_t output_count)
      : factor(static_cast<std::int32_t>(window.stride)),
        phase(static_cast<std::int32_t>(window.padding_begin)),
        outputs(static_cast<std::int32_t>(output_count)) {}

  CNNPLAN_HOST_DEVICE std::int32_t input(std::int32_t output) const {
    return (output + phase) / factor;
  }
  // First output that repeats an input.
  CNNPLAN_HOST_DEVICE std::int32_t begin(std::int32_t input_place) const {
    const std::int32_t place = input_place * factor - phase;
    return place < 0 ? 0 : place;
  }
  // One behind the last of them.
  CNNPLAN_HOST_DEVICE std::int32_t end(std::int32_t input_place) const {
    const std::int32_t place = (input_place + 1) * factor - phase;
    return place < outputs ? place : outputs;
  }
};

struct UpsampleAxes {
  UpsampleAxis d;
  UpsampleAxis h;
  UpsampleAxis w;

  explicit UpsampleAxes(const KernelSpec& spec)
      : d(spec.window.dims[0], spec.out[Dim::d]),
        h(spec.window.dims[1], spec.out[Dim::h]),
        w(spec.window.dims[2], spec.out[Dim::w]) {}
};

}  // namespace cnnplan
