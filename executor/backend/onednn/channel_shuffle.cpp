// Position by position, group by group of what is read: its channels lie side by side.
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
void shuffle(const KernelSpec& spec, Operands operands) {
  require_shape(operands[0], spec.in);
  require_shape(operands[1], spec.out);
  const ShuffledChannels channels(spec);
  for_each_position(spec.out, [&](const Position& place) {
    shuffle(at<const T>(operands[0], place), channels, at<T>(operands[1], place));
  });
}

}  // namespace

std::unique_ptr<Kernel> make_channel_shuffle(const Library&,
                                             const KernelSpec& spec,
                                             const KernelConstants&) {
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", 2, [=](Operands operands, const StepState&) { shuffle<T>(spec, operands); });
  });
}

}  // namespace cnnplan::onednn
