// Says which input an output of an upsampling repeats, and which outputs repeat an input.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Describes one dim. Places are local to the blocks of the input and the output.
struct UpsampleAxis {
  std::int32_t factor = 1;
  std::int32_t phase = 0;    // place of the first output among the repeats of the first input
  std::int32_t outputs = 1;  // their number in the block

  // `window` is that of the kernel's spec. KernelSpec::window says what it means for an upsampling.
  UpsampleAxis(const WindowDim& window, std::int64_t output_count)
      : factor(static_cast<std::int32_t>(window.stride)),
        phase(static_cast<std::int32_t>(window.padding_begin)),
        outputs(static_cast<std::int32_t>(output_count)) {}

  // Returns the input that an output repeats.
  CNNPLAN_HOST_DEVICE std::int32_t input(std::int32_t output) const {
    return (output + phase) / factor;
  }
  // Returns the first output that repeats an input.
  CNNPLAN_HOST_DEVICE std::int32_t begin(std::int32_t input_place) const {
    const std::int32_t place = input_place * factor - phase;
    return place < 0 ? 0 : place;
  }
  // Returns the place after the last output that repeats an input.
  CNNPLAN_HOST_DEVICE std::int32_t end(std::int32_t input_place) const {
    const std::int32_t place = (input_place + 1) * factor - phase;
    return place < outputs ? place : outputs;
  }
};

// Holds all spatial dims of a kernel.
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
