// Tests the arithmetic of windows against an enumeration of every index.
#include "planner/tensor/window.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("output_length: known layers") {
  struct Row {
    std::int64_t length;
    WindowDim window;
    std::int64_t expected;
  };
  for (const Row& row : std::vector<Row>{{224, {7, 2, 3, 3, 1}, 112},
                                         {112, {3, 2, 1, 1, 1}, 56},
                                         {224, {11, 4, 2, 2, 1}, 55},
                                         {28, {5, 1, 0, 0, 1}, 24},
                                         {9, {3, 1, 2, 2, 2}, 9},
                                         {5, {5, 1, 0, 0, 1}, 1},
                                         {4, {5, 1, 0, 0, 1}, 0},
                                         {4, {5, 1, 1, 0, 1}, 1}}) {
    CHECK(output_length(row.length, row.window) == row.expected);
  }
}

TEST_CASE("window_block: the halo of a 3x3 convolution on three blocks") {
  struct Row {
    Range outputs;
    WindowBlock expected;
  };
  const WindowDim window{3, 1, 1, 1, 1};
  for (const Row& row : std::vector<Row>{{{0, 4}, {{0, 5}, 1, 0}},
                                         {{4, 8}, {{3, 9}, 0, 0}},
                                         {{8, 12}, {{7, 12}, 0, 1}},
                                         {{0, 12}, {{0, 12}, 1, 1}},
                                         {{5, 5}, {}}}) {
    CHECK(window_block(row.outputs, 12, window) == row.expected);
  }
}

// Visits every transposed convolution of up to 4 inputs that has outputs.
void for_each_transposed(
    const std::function<void(std::int64_t, const WindowDim&, std::int64_t)>& check) {
  for (std::int64_t length = 1; length <= 4; ++length) {
    constexpr std::int64_t codes = std::int64_t{4} * 3 * 4 * 4 * 4 * 4;
    for (std::int64_t code = 0; code < codes; ++code) {
      std::int64_t rest = code;
      const auto next = [&rest](std::int64_t choices) {
        const std::int64_t choice = rest % choices;
        rest /= choices;
        return choice;
      };
      WindowDim window{.kernel = next(4) + 1, .stride = next(4) + 1, .dilation = next(3) + 1};
      window.padding_begin = next(4);
      window.padding_end = next(4);
      const std::int64_t output_padding = next(4);
      const bool is_possible =
          std::max(window.padding_begin, window.padding_end) < window.reach() &&
          output_padding < window.stride && transposed_length(length, window, output_padding) > 0;
      if (is_possible) check(length, window, output_padding);
    }
  }
}

// Checks one block. Input i reaches from i S - P as far as its taps.
void check_transposed_block(Range outputs, std::int64_t length, const WindowDim& window) {
  const WindowBlock block = transposed_block(outputs, length, window);
  REQUIRE(block.input.size() > 0);
  CHECK(block.input.begin >= 0);
  CHECK(block.input.end <= length);
  int before = 0;
  for (std::int64_t input = 0; input < length; ++input) {
    const std::int64_t first = input * window.stride - window.padding_begin;
    const bool meets = first < outputs.end && first + window.reach() > outputs.begin;
    const bool taken = input >= block.input.begin && input < block.input.end;
    if (meets) CHECK(taken);
    if (taken && !meets) {
      CHECK(first + window.reach() <= outputs.begin);
      ++before;
    }
    if (taken) {
      const std::int64_t local = (input - block.input.begin) * window.stride - block.padding_begin;
      CHECK(outputs.begin + local == first);
    }
  }
  CHECK(before <= 1);
  WindowDim local = window;
  local.padding_begin = block.padding_begin;
  local.padding_end = block.padding_end;
  CHECK(block.padding_begin >= 0);
  CHECK(output_length(outputs.size(), local) == block.input.size());
}

TEST_CASE("transposed_length: one more than the last output that a tap or the padding reaches") {
  CHECK(transposed_length(7, {2, 2, 0, 0, 1}, 0) == 14);
  CHECK(transposed_length(7, {3, 2, 1, 1, 1}, 1) == 14);
  CHECK(transposed_length(1, {3, 2, 2, 2, 1}, 0) == -1);
  for_each_transposed([](std::int64_t length, const WindowDim& window, std::int64_t padding) {
    const std::int64_t outputs = transposed_length(length, window, padding);
    // The convolution with this window leads back to the input.
    CHECK(output_length(outputs, window) == length);
  });
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK_THROWS_AS(transposed_length(huge, {2, 3, 0, 0, 1}, 0), InputError);
}

TEST_CASE("transposed_block: holds what taps reach, and a local convolution leads back") {
  CHECK(transposed_block({3, 3}, 4, {3, 2, 1, 1, 1}) == WindowBlock{});
  CHECK(transposed_block({4, 8}, 4, {2, 2, 0, 0, 1}) == WindowBlock{{2, 4}, 0, 0});
  CHECK(transposed_block({3, 5}, 4, {3, 2, 1, 1, 1}) == WindowBlock{{1, 3}, 2, 1});
  for_each_transposed([](std::int64_t length, const WindowDim& window, std::int64_t padding) {
    const std::int64_t outputs = transposed_length(length, window, padding);
    CHECK(transposed_block({0, outputs}, length, window).input == Range{0, length});
    for (std::int64_t begin = 0; begin < outputs; ++begin) {
      for (std::int64_t end = begin + 1; end <= outputs; ++end) {
        check_transposed_block({begin, end}, length, window);
      }
      // Blocks have no gap between them, and their ends do not fall.
      const Range last = transposed_block({begin, begin + 1}, length, window).input;
      if (begin + 1 == outputs) continue;
      const Range next = transposed_block({begin + 1, outputs}, length, window).input;
      CHECK(next.begin <= last.end);
      CHECK(next.begin >= last.begin);
      CHECK(next.end >= last.end);
    }
  });
}

// Visits every window with a padding below its reach, on every length up to 9, that has outputs.
void for_each_window(const std::function<void(std::int64_t, const WindowDim&)>& check) {
  for (std::int64_t kernel = 1; kernel <= 4; ++kernel) {
    for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
      const std::int64_t reach = dilation * (kernel - 1) + 1;
      for (std::int64_t stride = 1; stride <= 5; ++stride) {
        for (std::int64_t begin = 0; begin < std::min<std::int64_t>(reach, 3); ++begin) {
          for (std::int64_t end = 0; end < std::min<std::int64_t>(reach, 3); ++end) {
            for (std::int64_t length = 1; length <= 9; ++length) {
              const WindowDim window{kernel, stride, begin, end, dilation};
              if (output_length(length, window) >= 1) check(length, window);
            }
          }
        }
      }
    }
  }
}

// Returns the inputs that outputs really read, one by one, without the padding.
std::vector<bool> inputs_read(Range outputs, std::int64_t length, const WindowDim& window) {
  std::vector<bool> read(static_cast<std::size_t>(length), false);
  for (std::int64_t o = outputs.begin; o < outputs.end; ++o) {
    for (std::int64_t k = 0; k < window.kernel; ++k) {
      const std::int64_t i = o * window.stride - window.padding_begin + k * window.dilation;
      if (i >= 0 && i < length) read[static_cast<std::size_t>(i)] = true;
    }
  }
  return read;
}

TEST_CASE("window_block: holds every input that its outputs read") {
  for_each_window([](std::int64_t length, const WindowDim& window) {
    const std::int64_t outputs = output_length(length, window);
    for (std::int64_t begin = 0; begin < outputs; ++begin) {
      for (std::int64_t end = begin + 1; end <= outputs; ++end) {
        const WindowBlock block = window_block({begin, end}, length, window);
        const std::vector<bool> read = inputs_read({begin, end}, length, window);
        for (std::int64_t i = 0; i < length; ++i) {
          if (!read[static_cast<std::size_t>(i)]) continue;
          REQUIRE(block.input.begin <= i);
          REQUIRE(i < block.input.end);
        }
      }
    }
  });
}

TEST_CASE("window_block: the block alone gives the same outputs from the same inputs") {
  for_each_window([](std::int64_t length, const WindowDim& window) {
    const std::int64_t outputs = output_length(length, window);
    for (std::int64_t begin = 0; begin < outputs; ++begin) {
      for (std::int64_t end = begin + 1; end <= outputs; ++end) {
        const WindowBlock block = window_block({begin, end}, length, window);
        REQUIRE(block.padding_begin >= 0);
        REQUIRE(block.padding_end >= 0);
        WindowDim local = window;
        local.padding_begin = block.padding_begin;
        local.padding_end = block.padding_end;
        REQUIRE(output_length(block.input.size(), local) == end - begin);
        // The first tap of the first output is at the same global index.
        REQUIRE(block.input.begin - block.padding_begin ==
                begin * window.stride - window.padding_begin);
      }
    }
  });
}

TEST_CASE("window_block: the blocks of a distribution leave no gap") {
  for_each_window([](std::int64_t length, const WindowDim& window) {
    const std::int64_t outputs = output_length(length, window);
    for (int ranks = 1; ranks <= 4; ++ranks) {
      std::int64_t end = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range owned = block_range(outputs, ranks, rank);
        if (owned.size() == 0) continue;
        const WindowBlock block = window_block(owned, length, window);
        REQUIRE(block.input.begin <= end);
        REQUIRE(block.input.end <= length);
        end = std::max(end, block.input.end);
      }
    }
  });
}

TEST_CASE("window_block: with a stride above the reach aligned blocks need no halo") {
  const WindowDim window{1, 2, 0, 0, 1};
  CHECK(window_block({0, 4}, 16, window) == WindowBlock{{0, 8}, 0, 0});
  CHECK(window_block({4, 8}, 16, window) == WindowBlock{{8, 16}, 0, 0});
}

}  // namespace
}  // namespace cnnplan::test
