// Says between which inputs an output of a linear upsampling lies, and which outputs have a share
// of an input.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Says how one output depends on the inputs of a dim: it is (1 - share) times `input` plus `share`
// times the next input. The share is below 1. It is 0 for outputs before the first input or after
// the last one, which equal that input.
template <typename Real>
struct InterpolationPlace {
  std::int32_t input = 0;
  Real share{};

  // Returns the factor of an input in the output, which is 0 for most inputs.
  CNNPLAN_HOST_DEVICE Real weight_of(std::int32_t any_input) const {
    if (any_input == input) return Real{1} - share;
    return any_input == input + 1 ? share : Real{0};
  }
};

// Holds the places of one dim, which are local to the blocks of the input and the output.
struct InterpolationPlaces {
  InterpolationAxis axis;
  std::int32_t inputs = 1;   // their number in the block
  std::int32_t outputs = 1;  // their number in the block

  InterpolationPlaces(const InterpolationAxis& places, std::int64_t in, std::int64_t out)
      : axis(places),
        inputs(static_cast<std::int32_t>(in)),
        outputs(static_cast<std::int32_t>(out)) {}

  // Returns the place of an output.
  template <typename Real>
  CNNPLAN_HOST_DEVICE InterpolationPlace<Real> of(std::int32_t output) const {
    const std::int64_t place = axis.step * output + axis.begin;
    if (place <= 0) return {0, Real{0}};
    const std::int64_t input = place / axis.unit;
    if (input >= inputs - 1) return {inputs - 1, Real{0}};
    return {static_cast<std::int32_t>(input),
            static_cast<Real>(place - input * axis.unit) / static_cast<Real>(axis.unit)};
  }
  // Returns the first output that may depend on an input.
  CNNPLAN_HOST_DEVICE std::int32_t begin(std::int32_t input) const {
    if (input == 0 || axis.step == 0) return 0;
    const std::int64_t before = std::int64_t{input - 1} * axis.unit - axis.begin;
    return before < 0 ? 0 : limited(before / axis.step + 1);
  }
  // Returns the number after the last output that may depend on an input.
  CNNPLAN_HOST_DEVICE std::int32_t end(std::int32_t input) const {
    if (input == inputs - 1 || axis.step == 0) return outputs;
    const std::int64_t behind = std::int64_t{input + 1} * axis.unit - axis.begin;
    return behind <= 0 ? 0 : limited((behind + axis.step - 1) / axis.step);
  }

 private:
  CNNPLAN_HOST_DEVICE std::int32_t limited(std::int64_t output) const {
    return output < outputs ? static_cast<std::int32_t>(output) : outputs;
  }
};

// Holds the places of all spatial dims of a kernel.
struct InterpolationBlock {
  InterpolationPlaces d;
  InterpolationPlaces h;
  InterpolationPlaces w;

  InterpolationBlock(const KernelSpec& spec, const KernelConstants& constants)
      : d(constants.axes[0], spec.in[Dim::d], spec.out[Dim::d]),
        h(constants.axes[1], spec.in[Dim::h], spec.out[Dim::h]),
        w(constants.axes[2], spec.in[Dim::w], spec.out[Dim::w]) {}
};

}  // namespace cnnplan
