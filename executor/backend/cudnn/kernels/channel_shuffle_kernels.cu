// Gathers a vector of channels of one position per thread. Writes are contiguous, and reads are as
// far apart as a group is wide.
#include "executor/backend/cudnn/kernels/channel_shuffle_kernels.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/shuffled_channels.hpp"

namespace cnnplan::cudnn {
namespace {

template <typename T, int width>
struct Gather {
  ShuffledChannels channels;
  Block<const T> from;
  Block<T> to;

  CNNPLAN_HOST_DEVICE void operator()(const Position& place, std::uint32_t channel) const {
    Vector<Computed<T>, width> gathered = {};
    for (std::uint32_t k = 0; k < width; ++k) {
      gathered.values[k] = load<1>(from.at(place) + channels.source(channel + k)).values[0];
    }
    store<width>(to.at(place) + channel, gathered);
  }
};

}  // namespace

void channel_shuffle(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const ShuffledChannels channels(spec);
  with_kind(
      spec.precision, vector_channels(spec.out[Dim::c], operands.in_order()), [&]<typename K>(K) {
        using T = typename K::Type;
        constexpr int width = K::channels;
        const Block<const T> from(operands[block_read(spec.phase)]);
        const Block<T> to(operands[block_written(spec.phase)]);
        for_each_vector<width>(call.stream, spec.out, Gather<T, width>{channels, from, to});
      });
}

}  // namespace cnnplan::cudnn
