// Computes local response norms by loops over the channels of a position, since oneDNN takes odd
// sizes only.
#include <algorithm>
#include <cmath>
#include <vector>

#include "executor/backend/channels_around.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/positions.hpp"

namespace cnnplan::onednn {
namespace {

struct Response {
  ChannelsAround around;
  float scale = 0.0F;
  float beta = 0.0F;
  float k = 1.0F;
};

// Adds the sum of from[c + i] to to[c], for i from -before to after, where from[c + i] exists.
void add_around(
    const float* from, std::int32_t count, std::int32_t before, std::int32_t after, float* to) {
  for (std::int32_t i = -before; i <= after; ++i) {
    const std::int32_t end = std::min(count, count - i);
    for (std::int32_t c = std::max(0, -i); c < end; ++c) to[c] += from[c + i];
  }
}

// Computes s^-beta. A beta of 0.75, which nearly all networks have, needs no logarithms.
void to_powers(float beta, std::vector<float>& sums) {
  if (beta == 0.75F) {
    for (float& sum : sums) {
      const float root = 1.0F / std::sqrt(sum);
      sum = root * std::sqrt(root);
    }
  } else {
    for (float& sum : sums) sum = std::pow(sum, -beta);
  }
}

// Holds the numbers of one position, and is reused for the next.
struct Buffers {
  std::vector<float> terms;
  std::vector<float> sums;
  std::vector<float> powers;

  explicit Buffers(std::int32_t count) : terms(count), sums(terms), powers(terms) {}
};

// Computes the sums around every channel, and their powers.
template <typename T>
void compute_powers(const Response& response, const T* x, Buffers& buffers) {
  const auto& [before, after, count] = response.around;
  for (std::int32_t c = 0; c < count; ++c) {
    const float value = x[c];
    buffers.terms[c] = value * value;
  }
  std::fill(buffers.sums.begin(), buffers.sums.end(), 0.0F);
  add_around(buffers.terms.data(), count, before, after, buffers.sums.data());
  for (float& sum : buffers.sums) sum = response.k + response.scale * sum;
  buffers.powers = buffers.sums;
  to_powers(response.beta, buffers.powers);
}

template <typename T>
void forward(const Response& response, const T* x, Buffers& buffers, T* y) {
  compute_powers(response, x, buffers);
  for (std::int32_t c = 0; c < response.around.count; ++c) {
    y[c] = T(x[c] * buffers.powers[c]);
  }
}

template <typename T>
void backward(const Response& response, const T* x, const T* dy, Buffers& buffers, T* dx) {
  const auto& [before, after, count] = response.around;
  compute_powers(response, x, buffers);
  for (std::int32_t c = 0; c < count; ++c) {
    const float product = dy[c] * x[c];
    buffers.terms[c] = product * buffers.powers[c] / buffers.sums[c];
  }
  std::fill(buffers.sums.begin(), buffers.sums.end(), 0.0F);
  add_around(buffers.terms.data(), count, after, before, buffers.sums.data());
  const float factor = -2.0F * response.scale * response.beta;
  for (std::int32_t c = 0; c < count; ++c) {
    const float direct = dy[c] * buffers.powers[c];
    dx[c] = T(direct + factor * x[c] * buffers.sums[c]);
  }
}

template <typename T>
void run(const KernelSpec& spec, const Response& response, const OperandsByRole& operands) {
  for (const TensorView& view : operands.in_order()) require_shape(view, spec.out);
  Buffers buffers(response.around.count);
  for_each_position(spec.out, [&](const Position& place) {
    const auto* x = at<const T>(operands[Role::x], place);
    if (spec.phase == KernelPhase::forward) {
      forward(response, x, buffers, at<T>(operands[Role::y], place));
    } else {
      backward(response,
               x,
               at<const T>(operands[Role::dy], place),
               buffers,
               at<T>(operands[Role::dx], place));
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_local_response_norm(const Library&,
                                                 const KernelSpec& spec,
                                                 const KernelConstants& constants) {
  const Response response{.around = ChannelsAround(spec),
                          .scale = stored<float>(constants.response_scale),
                          .beta = stored<float>(constants.response_beta),
                          .k = stored<float>(constants.response_k)};
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
          run<T>(spec, response, operands);
        });
  });
}

}  // namespace cnnplan::onednn
