// Shuffles position by position and group by group: the channels of a group that is read are
// contiguous.
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/positions.hpp"
#include "executor/backend/shuffled_channels.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
void shuffle(const T* from, const ShuffledChannels& channels, T* to) {
  for (std::uint32_t group = 0; group < channels.groups; ++group) {
    for (std::uint32_t i = 0; i < channels.group_size; ++i) {
      to[i * channels.groups + group] = *from++;
    }
  }
}

template <typename T>
void shuffle(const KernelSpec& spec, const OperandsByRole& operands) {
  const TensorView& from = operands[block_read(spec.phase)];
  const TensorView& to = operands[block_written(spec.phase)];
  require_shape(from, spec.in);
  require_shape(to, spec.out);
  const ShuffledChannels channels(spec);
  for_each_position(spec.out, [&](const Position& place) {
    shuffle(at<const T>(from, place), channels, at<T>(to, place));
  });
}

}  // namespace

std::unique_ptr<Kernel> make_channel_shuffle(const Library&,
                                             const KernelSpec& spec,
                                             const KernelConstants&) {
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
          shuffle<T>(spec, operands);
        });
  });
}

}  // namespace cnnplan::onednn
