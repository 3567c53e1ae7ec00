// Tests blocks of upsamplings against places that are computed in double.
#include "planner/tensor/upsampling.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr double rounding = 1e-9;

// Returns the place of output `o` among the inputs.
double place_of(std::int64_t o, std::int64_t length, const UpsampleDim& dim) {
  const auto last = static_cast<double>(length - 1);
  const auto factor = static_cast<double>(dim.factor);
  const double outputs = factor * static_cast<double>(length);
  const double place = dim.align_corners
                           ? static_cast<double>(o) * last / std::max(1.0, outputs - 1)
                           : (static_cast<double>(o) + 0.5) / factor - 0.5;
  return std::clamp(place, 0.0, last);
}

// Checks the least block that holds all inputs with a share, and the places in it.
void check_linear(Range outputs, std::int64_t length, const UpsampleDim& dim) {
  const WindowBlock block = upsample_block(outputs, length, dim);
  const double first = place_of(outputs.begin, length, dim);
  const double last = place_of(outputs.end - 1, length, dim);
  CHECK(block.input == Range{static_cast<std::int64_t>(std::floor(first + rounding)),
                             static_cast<std::int64_t>(std::ceil(last - rounding)) + 1});
  CHECK(block.padding_begin == 0);
  CHECK(block.padding_end == 0);
  const InterpolationAxis axis = interpolation_axis(outputs, length, dim);
  for (std::int64_t o = outputs.begin; o < outputs.end; ++o) {
    const auto units = static_cast<double>(axis.step * (o - outputs.begin) + axis.begin);
    const double local = units / static_cast<double>(axis.unit);
    const auto inputs = static_cast<double>(block.input.size() - 1);
    CHECK(std::clamp(local, 0.0, inputs) + static_cast<double>(block.input.begin) ==
          relative(place_of(o, length, dim), rounding));
  }
}

TEST_CASE("upsample_block: holds the input that every output repeats, one by one") {
  for (std::int64_t factor = 1; factor <= 4; ++factor) {
    for (std::int64_t begin = 0; begin <= 9; ++begin) {
      CHECK(upsample_block({begin, begin}, 10, {.factor = factor}) == WindowBlock{});
      for (std::int64_t end = begin + 1; end <= 10; ++end) {
        const WindowBlock block = upsample_block({begin, end}, 10, {.factor = factor});
        CHECK(block.input == Range{begin / factor, (end - 1) / factor + 1});
        // The window has as many outputs as the inputs' repetitions have inside the block.
        const WindowDim back{factor, factor, block.padding_begin, block.padding_end, 1};
        CHECK(output_length(end - begin, back) == block.input.size());
        for (std::int64_t output = begin; output < end; ++output) {
          const std::int64_t local = (output - begin + block.padding_begin) / factor;
          CHECK(block.input.begin + local == output / factor);
        }
        CHECK(std::max(block.padding_begin, block.padding_end) < factor);
      }
    }
  }
}

TEST_CASE("upsample_block: linear ones hold both inputs around every output, one by one") {
  for (bool align_corners : {false, true}) {
    for (std::int64_t factor = 1; factor <= 5; ++factor) {
      const UpsampleDim dim{
          .factor = factor, .mode = UpsampleMode::linear, .align_corners = align_corners};
      for (std::int64_t length = 1; length <= 6; ++length) {
        CHECK(upsample_block({2, 2}, length, dim) == WindowBlock{});
        for (std::int64_t begin = 0; begin < factor * length; ++begin) {
          for (std::int64_t end = begin + 1; end <= factor * length; ++end) {
            CAPTURE(factor);
            CAPTURE(length);
            check_linear({begin, end}, length, dim);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cnnplan::test
