// Matrix products with few rows: every phase passes over the weights once. Weights are (K, F).
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

struct Sizes {
  std::int64_t rows = 0;
  std::int64_t depth = 0;    // K
  std::int64_t filters = 0;  // F
};

constexpr std::int64_t weight_rows = 8;  // read side by side: what the prefetcher follows
constexpr std::int64_t lane_count = 16;
using Lanes = float __attribute__((vector_size(lane_count * sizeof(float))));

// y[:] += sum over eight consecutive k of x[k] * weight[k][:]
CNNPLAN_VECTORIZED void add_eight_rows(const float* __restrict x,
                                       const float* __restrict weight,
                                       std::int64_t stride,
                                       std::int64_t count,
                                       float* __restrict y) {
  for (std::int64_t f = 0; f < count; ++f) {
    const float low = x[0] * weight[f] + x[1] * weight[stride + f] + x[2] * weight[2 * stride + f] +
                      x[3] * weight[3 * stride + f];
    const float high = x[4] * weight[4 * stride + f] + x[5] * weight[5 * stride + f] +
                       x[6] * weight[6 * stride + f] + x[7] * weight[7 * stride + f];
    y[f] += low + high;
  }
}

CNNPLAN_VECTORIZED void add_row(float x,
                                const float* __restrict weight,
                                std::int64_t count,
                                float* __restrict y) {
  for (std::int64_t f = 0; f < count; ++f) y[f] += x * weight[f];
}

// @pre y holds the bias
void forward(const Sizes& sizes, const float* x, const float* weight, float* y) {
  constexpr std::int64_t piece = 512;  // filters at a time: eight rows of them stay in L1
  const std::int64_t filters = sizes.filters;
  std::int64_t k = 0;
  for (; k + weight_rows <= sizes.depth; k += weight_rows) {
    for (std::int64_t f = 0; f < filters; f += piece) {
      for (std::int64_t row = 0; row < sizes.rows; ++row) {
        add_eight_rows(x + row * sizes.depth + k,
                       weight + k * filters + f,
                       filters,
                       std::min(piece, filters - f),
                       y + row * filters + f);
      }
    }
  }
  for (; k < sizes.depth; ++k) {
    for (std::int64_t row = 0; row < sizes.rows; ++row) {
      add_row(x[row * sizes.depth + k], weight + k * filters, filters, y + row * filters);
    }
  }
}

constexpr int dot_rows = 4;

// result[i][j] = dot(dy row i, weight row j) for four rows of each.
CNNPLAN_VECTORIZED void dot_four_by_four(const float* dy,
                                         std::int64_t dy_stride,
                                         const float* weight,
                                         std::int64_t filters,
                                         float* result) {
  Lanes sums[dot_rows][dot_rows] = {};
  std::int64_t f = 0;
  for (; f + lane_count <= filters; f += lane_count) {
    Lanes left[dot_rows];
    Lanes right[dot_rows];
    for (int i = 0; i < dot_rows; ++i) {
      std::memcpy(&left[i], dy + i * dy_stride + f, sizeof(Lanes));
      std::memcpy(&right[i], weight + i * filters + f, sizeof(Lanes));
    }
    for (int i = 0; i < dot_rows; ++i) {
      for (int j = 0; j < dot_rows; ++j) sums[i][j] += left[i] * right[j];
    }
  }
  for (int i = 0; i < dot_rows; ++i) {
    for (int j = 0; j < dot_rows; ++j) {
      float sum = 0.0F;
      for (std::int64_t lane = 0; lane < lane_count; ++lane) sum += sums[i][j][lane];
      for (std::int64_t g = f; g < filters; ++g) {
        sum += dy[i * dy_stride + g] * weight[j * filters + g];
      }
      result[i * dot_rows + j] = sum;
    }
  }
}

CNNPLAN_VECTORIZED float dot(const float* a, const float* b, std::int64_t count) {
  Lanes sums = {};
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    Lanes left;
    Lanes right;
    std::memcpy(&left, a + i, sizeof(Lanes));
    std::memcpy(&right, b + i, sizeof(Lanes));
    sums += left * right;
  }
  float sum = 0.0F;
  for (std::int64_t lane = 0; lane < lane_count; ++lane) sum += sums[lane];
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Rows [row, row + 4) and weight rows [k, k + 4) of dx, or what there is of them.
void backward_data_tile(const Sizes& sizes,
                        const float* dy,
                        const float* weight,
                        float* dx,
                        std::array<std::int64_t, 2> origin) {
  const auto [row, k] = origin;
  const std::int64_t rows = std::min<std::int64_t>(dot_rows, sizes.rows - row);
  const std::int64_t depth = std::min<std::int64_t>(dot_rows, sizes.depth - k);
  const float* dy_tile = dy + row * sizes.filters;
  const float* weight_tile = weight + k * sizes.filters;
  std::array<float, dot_rows * dot_rows> tile{};
  if (rows == dot_rows && depth == dot_rows) {
    dot_four_by_four(dy_tile, sizes.filters, weight_tile, sizes.filters, tile.data());
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < depth; ++j) {
      float& value = dx[(row + i) * sizes.depth + k + j];
      value =
          rows == dot_rows && depth == dot_rows
              ? tile[static_cast<std::size_t>(i * dot_rows + j)]
              : dot(dy_tile + i * sizes.filters, weight_tile + j * sizes.filters, sizes.filters);
    }
  }
}

void backward_data(const Sizes& sizes, const float* dy, const float* weight, float* dx) {
  for (std::int64_t k = 0; k < sizes.depth; k += dot_rows) {
    for (std::int64_t row = 0; row < sizes.rows; row += dot_rows) {
      backward_data_tile(sizes, dy, weight, dx, {row, k});
    }
  }
}

// dweight[:] = sum over rows of x[row * x_stride] * dy[row][:]
template <int rows>
inline __attribute__((always_inline)) void outer_row(const float* x,
                                                     std::int64_t x_stride,
                                                     const float* __restrict dy,
                                                     std::int64_t filters,
                                                     float* __restrict dweight) {
  for (std::int64_t f = 0; f < filters; ++f) {
    float sum = 0.0F;
    for (int row = 0; row < rows; ++row) sum += x[row * x_stride] * dy[row * filters + f];
    dweight[f] = sum;
  }
}

CNNPLAN_VECTORIZED void backward_filter(const Sizes& sizes,
                                        const float* x,
                                        const float* dy,
                                        float* dweight) {
  const std::int64_t filters = sizes.filters;
  for (std::int64_t k = 0; k < sizes.depth; ++k) {
    float* row = dweight + k * filters;
    switch (sizes.rows) {
      case 1:
        outer_row<1>(x + k, sizes.depth, dy, filters, row);
        break;
      case 2:
        outer_row<2>(x + k, sizes.depth, dy, filters, row);
        break;
      case 3:
        outer_row<3>(x + k, sizes.depth, dy, filters, row);
        break;
      case 4:
        outer_row<4>(x + k, sizes.depth, dy, filters, row);
        break;
      case 5:
        outer_row<5>(x + k, sizes.depth, dy, filters, row);
        break;
      case 6:
        outer_row<6>(x + k, sizes.depth, dy, filters, row);
        break;
      case 7:
        outer_row<7>(x + k, sizes.depth, dy, filters, row);
        break;
      default:
        outer_row<thin_rows>(x + k, sizes.depth, dy, filters, row);
    }
  }
}

void sum_rows(const Sizes& sizes, const float* dy, float* dbias) {
  std::fill_n(dbias, sizes.filters, 0.0F);
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    add_row(1.0F, dy + row * sizes.filters, sizes.filters, dbias);
  }
}

void fill_bias(const Sizes& sizes, const float* bias, float* y) {
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    float* begin = y + row * sizes.filters;
    if (bias) {
      std::copy_n(bias, sizes.filters, begin);
    } else {
      std::fill_n(begin, sizes.filters, 0.0F);
    }
  }
}

void run(const KernelSpec& spec, const Sizes& sizes, std::span<const TensorView> operands) {
  const auto* first = operands[0].as<const float>();
  if (spec.phase == KernelPhase::forward) {
    auto* y = operands.back().as<float>();
    fill_bias(sizes, spec.bias ? operands[2].as<const float>() : nullptr, y);
    forward(sizes, first, operands[1].as<const float>(), y);
  } else if (spec.phase == KernelPhase::backward_data) {
    backward_data(sizes, first, operands[1].as<const float>(), operands[2].as<float>());
  } else {
    const auto* dy = operands[1].as<const float>();
    backward_filter(sizes, first, dy, operands[2].as<float>());
    if (spec.bias) sum_rows(sizes, dy, operands[3].as<float>());
  }
}

}  // namespace

std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec) {
  const Sizes sizes{.rows = spec.in[Dim::w], .depth = spec.in[Dim::c], .filters = spec.out[Dim::c]};
  if (sizes.rows > thin_rows) throw std::logic_error("too many rows for a thin product");
  const bool has_bias = spec.bias && spec.phase != KernelPhase::backward_data;
  return std::make_unique<FunctionKernel>(
      "thin product",
      has_bias ? 4 : 3,
      [=](std::span<const TensorView> operands, const StepState&) { run(spec, sizes, operands); });
}

}  // namespace cnnplan::onednn
