// Describes a kernel on local shapes. This is the key under which it is timed, priced and built.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/kernel/kernel_kind.hpp"
#include "planner/network/network.hpp"
#include "planner/tensor/element.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// A plan may run at most this many kernels at the same time on one rank.
inline constexpr int max_concurrency = 128;

// Describes a kernel on local blocks of channels-last activations. planner/kernel/kernel_kinds.cpp
// lists the operands of each kind and phase in order, with the formulas of results. Activations
// of convolutions and poolings are dense. Activations of other kinds are pitched: they may be a
// block inside a larger buffer. All other operands are dense.
struct KernelSpec {
  KernelKind kind = KernelKind::convolution;
  KernelPhase phase = KernelPhase::forward;
  Shape in;   // the local input block, with its halo but without padding
  Shape out;  // the local output block
  // The window has the padding of this block; kinds without a window have the default. An
  // upsampling has the window of the outputs that an input makes: kernel and stride are the factor.
  // Its padding counts the outputs before and after this block that repeat the first and the last
  // input. An interpolation by a factor above 1 has a kernel of twice the factor, the factor as
  // stride, and no padding.
  Window window;
  std::int64_t groups = 1;                 // of channels that a convolution does not mix
  std::int64_t local_size = 1;             // how many channels a local response norm sums
  PoolingMode pooling = PoolingMode::max;  // of a pooling
  bool count_include_padding = false;      // the mean of a pooling counts zeros of the padding
  bool bias = false;                       // a convolution adds a bias, or computes its gradient
  bool relu = false;                       // a ReLU is fused into the kernel
  bool residual = false;                   // the kernel has the operand `residual`
  bool second_dy = false;                  // a batch norm adds two error signals and keeps the sum
  Precision precision = Precision::fp32;
  KernelAlgorithm algorithm = KernelAlgorithm::direct;
  // The rank runs this many kernels at the same time, including this one. They share the device, so
  // each takes longer. The number does not change the result.
  int concurrency = 1;

  auto operator<=>(const KernelSpec&) const = default;
};

// Holds numbers that a kernel needs and that do not change its time.
struct KernelConstants {
  double epsilon = 0.0;           // of a batch norm, added to the variance
  double running_momentum = 0.0;  // weight of the mini-batch in a batch norm's running values
  double parameter = 0.0;         // the field that a layer's struct names as kernel_parameter
  double relu_max = std::numeric_limits<double>::infinity();  // of a ReLU that is not fused
  double add_scale = 1.0;                                     // of the second input of an add
  // These are the constants of a local response norm: alpha / size, beta and k. The defaults are
  // the values of most of them. Another beta takes longer.
  double response_scale = 2e-5;
  double response_beta = 0.75;
  double response_k = 1.0;
  // An interpolation has one axis for each of d, h and w. If step and begin are 0, every output is
  // the first input.
  std::array<InterpolationAxis, 3> axes{};
  std::uint64_t random_stream = 0;  // of a dropout; it is the layer index
  double loss_count = 1.0;  // positions or elements of the mean, divided by the weight of the loss
  bool replicated = false;  // whether other ranks repeat the kernel and must get the same bits
  // True where some operand may be a part of its buffer. If false, every operand begins where its
  // buffer does, at a multiple of 64 bytes. Profiles have one time and one implementation for both.
  // A backend whose implementation needs aligned operands takes another one here.
  bool begins_inside = false;
  auto operator<=>(const KernelConstants&) const = default;
};

// Says which backends run a kernel.
enum class DeviceKind { cpu, gpu };

template <>
struct Enumerators<DeviceKind> {
  static constexpr std::array all{DeviceKind::cpu, DeviceKind::gpu};
};

std::string_view to_text(DeviceKind kind);

// Returns one spec for a block and its mirror image, with padding_begin <= padding_end in every
// dim, because the first and the last rank of a split take equally long.
KernelSpec canonical(KernelSpec spec);
// Returns the spec with a concurrency of 1.
KernelSpec alone(KernelSpec spec);
// Returns a unique readable key, for example
// "convolution/forward in=4x64x1x29x56 out=4x64x1x28x56 kernel=1x3x3 ...".
std::string to_text(const KernelSpec& spec);
// Counts the elements of the weight of a convolution: filters x channels of the input / groups x
// extents of the window.
// @throws InputError when they are more than 64 bits can count
std::int64_t weight_volume(const KernelSpec& convolution);
// Returns the floating-point operations, where a multiply-add counts two. @pre the kind has the
// phase
double flops(const KernelSpec& spec);
// Returns the bytes that must move at least. Profiles and prices are compared by this number.
// @pre the kind has the phase
double bytes(const KernelSpec& spec);
// Returns the bytes that a kernel of the device moves at least. The backend of GPUs avoids some
// that the backends of CPUs move. @pre the kind has the phase
double bytes(const KernelSpec& spec, DeviceKind device);
// Returns how many channels a device stores for samples of `channels` channels, if convolutions
// alone read them. The further channels are zeros. In 16 bits, every engine of cuDNN for tensor
// cores reads 8 channels where there are fewer, and would copy the samples in each pass.
std::int64_t stored_channels(std::int64_t channels, ElementType element, DeviceKind device);

}  // namespace cnnplan
