// Runs a thread per element, which reads the channels around it. Backward, it also reads the
// channels around each of these. Sizes are small, and one position fits in the cache.
#include <cmath>

#include "executor/backend/channels_around.hpp"
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/local_response_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"

namespace cnnplan::cudnn {
namespace {

template <typename C, typename Sum>
struct Response {
  ChannelsAround around;
  C scale;
  C beta;
  C k;

  // Returns k + scale * (sum of the squares around a channel). `x` is the first channel of its
  // position.
  template <typename T>
  CNNPLAN_HOST_DEVICE C sum(const T* x, std::int32_t channel) const {
    Sum squares;
    for (std::int32_t c = around.first(channel); c <= around.last(channel); ++c) {
      const C value = x[c];
      squares.add({value * value});
    }
    return k + scale * squares.value().values[0];
  }
};

template <typename C, typename Sum>
Response<C, Sum> response_of(const KernelSpec& spec, const KernelConstants& constants) {
  return {.around = ChannelsAround(spec),
          .scale = stored<C>(constants.response_scale),
          .beta = stored<C>(constants.response_beta),
          .k = stored<C>(constants.response_k)};
}

template <typename T, typename Sum>
struct Forward {
  using C = Computed<T>;
  Response<C, Sum> response;
  Block<const T> x;
  Block<T> y;

  CNNPLAN_HOST_DEVICE void operator()(const Position& place, std::uint32_t channel) const {
    const T* from = x.at(place);
    const C sum = response.sum(from, channel);
    const C power = std::pow(sum, -response.beta);
    // The last term is not-a-number where the sum overflowed.
    y.at(place)[channel] = static_cast<T>(from[channel] * power + (sum - sum));
  }
};

template <typename T, typename Sum>
struct BackwardData {
  using C = Computed<T>;
  Response<C, Sum> response;
  Block<const T> x;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& place, std::uint32_t channel) const {
    const T* values = x.at(place);
    const T* gradients = dy.at(place);
    const std::int32_t own = channel;
    C result = 0;
    Sum handed;
    for (std::int32_t c = response.around.first_reaching(own);
         c <= response.around.last_reaching(own);
         ++c) {
      const C sum = response.sum(values, c);
      const C term = gradients[c] * std::pow(sum, -response.beta);
      if (c == own) result = term;
      handed.add({term * values[c] / sum});
    }
    const C factor = -2 * response.scale * response.beta * values[channel];
    dx.at(place)[channel] = static_cast<T>(result + factor * handed.value().values[0]);
  }
};

template <typename T, typename Sum>
void run(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const auto response = response_of<Computed<T>, Sum>(spec, call.constants);
  const Block<const T> x(operands[Role::x]);
  if (spec.phase == KernelPhase::forward) {
    for_each_vector<1>(
        call.stream, spec.out, Forward<T, Sum>{response, x, Block<T>(operands[Role::y])});
  } else {
    for_each_vector<1>(
        call.stream,
        spec.out,
        BackwardData<T, Sum>{
            response, x, Block<const T>(operands[Role::dy]), Block<T>(operands[Role::dx])});
  }
}

}  // namespace

void local_response_norm(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  with_type_of(activation_element(spec.precision), [&]<typename T>(T) {
    with_sum_of<Computed<T>, 1>(spec.local_size,
                                [&]<typename Sum>(Sum) { run<T, Sum>(call, operands); });
  });
}

}  // namespace cnnplan::cudnn
