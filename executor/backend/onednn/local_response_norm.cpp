// Computes local response norms by loops over the channels of a position, since oneDNN takes odd
// sizes only.
#include <algorithm>
#include <cmath>
#include <vector>

#include "executor/backend/channels_around.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/position_sums.hpp"
#include "executor/backend/onednn/positions.hpp"

namespace cnnplan::onednn {
namespace {

struct Response {
  ChannelsAround around;
  float scale = 0.0F;
  float beta = 0.0F;
  float k = 1.0F;
};

// Adds from[c + i] to to[c], for i from first to last, where from[c + i] exists.
void add_shifted(const std::vector<float>& from,
                 std::int32_t first,
                 std::int32_t last,
                 std::vector<float>& to) {
  const auto count = static_cast<std::int32_t>(from.size());
  for (std::int32_t i = first; i <= last; ++i) {
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
  std::vector<double> totals;  // of sums with many terms

  explicit Buffers(std::int32_t count) : terms(count), sums(terms), powers(terms), totals(count) {}
  // Computes the sum of terms[c - before] to terms[c + after] in sums[c].
  void sum_around(std::int32_t before, std::int32_t after);
};

void Buffers::sum_around(std::int32_t before, std::int32_t after) {
  constexpr auto together = static_cast<std::int32_t>(most_float_terms);
  std::fill(sums.begin(), sums.end(), 0.0F);
  if (before + after < together) return add_shifted(terms, -before, after, sums);
  std::fill(totals.begin(), totals.end(), 0.0);
  for (std::int32_t first = -before; first <= after; first += together) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    add_shifted(terms, first, std::min(after, first + together - 1), sums);
    add_part(sums.data(), std::ssize(sums), totals.data());
  }
  std::transform(totals.begin(), totals.end(), sums.begin(), stored<float>);
}

// Computes the sums around every channel, and their powers.
template <typename T>
void compute_powers(const Response& response, const T* x, Buffers& buffers) {
  const auto& [before, after, count] = response.around;
  for (std::int32_t c = 0; c < count; ++c) {
    const float value = x[c];
    buffers.terms[c] = value * value;
  }
  buffers.sum_around(before, after);
  for (float& sum : buffers.sums) sum = response.k + response.scale * sum;
  buffers.powers = buffers.sums;
  to_powers(response.beta, buffers.powers);
}

template <typename T>
void forward(const Response& response, const T* x, Buffers& buffers, T* y) {
  compute_powers(response, x, buffers);
  for (std::int32_t c = 0; c < response.around.count; ++c) {
    const float sum = buffers.sums[c];
    y[c] = T(x[c] * buffers.powers[c] + (sum - sum));  // not-a-number where the sum overflowed
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
  buffers.sum_around(after, before);
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
