// Compares the arithmetic of threads with plain division and loops.
#include "executor/backend/cudnn/kernels/positions.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::cudnn {
namespace {

constexpr std::uint32_t largest = 0x7fffffffU;

bool divides(std::uint32_t dividend, std::uint32_t divisor) {
  const Quotient result = divide(dividend, Divider(divisor));
  return result.quotient == dividend / divisor && result.remainder == dividend % divisor;
}

}  // namespace

TEST_CASE("Divider: all small numbers") {
  std::int64_t wrong = 0;
  for (std::uint32_t divisor = 1; divisor <= 1024; ++divisor) {
    const Divider divider(divisor);
    for (std::uint32_t dividend = 0; dividend <= 4096; ++dividend) {
      if (divider.quotient(dividend) != dividend / divisor) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Divider: around multiples of any divisor, up to the largest dividend") {
  std::mt19937 engine(1);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  std::int64_t wrong = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::uint32_t divisor = std::max(1U, (random() >> 1) >> (random() % 31));
    const std::uint32_t multiple = random() % (largest / divisor + 1) * divisor;
    for (std::uint32_t dividend : {multiple, multiple - 1, multiple + 1, largest, random() >> 1}) {
      if (dividend <= largest && !divides(dividend, divisor)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Divider: divisors at powers of two") {
  for (int bit = 0; bit < 31; ++bit) {
    for (int distance : {-1, 0, 1}) {
      const std::int64_t divisor = (std::int64_t{1} << bit) + distance;
      if (divisor < 1 || divisor > largest) continue;
      for (std::uint32_t dividend : {0U, 1U, largest - 1, largest}) {
        CHECK(divides(dividend, static_cast<std::uint32_t>(divisor)));
      }
    }
  }
  CHECK(divides(largest, largest));
}

TEST_CASE("Positions: count a block in the order of memory") {
  const Shape shape{{3, 7, 2, 5, 4}};
  const Positions positions(shape);
  CHECK(positions.count() == 3 * 2 * 5 * 4);
  std::uint32_t index = 0;
  for (int n = 0; n < 3; ++n)
    for (int d = 0; d < 2; ++d)
      for (int h = 0; h < 5; ++h)
        for (int w = 0; w < 4; ++w, ++index) {
          const Position at = positions.at(index);
          CHECK((at.n == n && at.d == d && at.h == h && at.w == w));
        }
  CHECK(Positions(Shape{{2, 3, 1, 0, 4}}).count() == 0);
}

TEST_CASE("Block: a position inside a larger buffer, beyond 2^31 elements, too") {
  const Box buffer{{{{2, 5}, {0, 6}, {0, 3}, {10, 20}, {-1, 7}}}};
  Box inner = buffer;
  inner[Dim::n] = {3, 5};
  inner[Dim::h] = {12, 16};
  inner[Dim::w] = {0, 5};
  std::vector<float> memory(static_cast<std::size_t>(volume(buffer)));
  const TensorView view = view_of(memory.data(), buffer, inner, sizeof(float));
  const Block<float> block(view);
  constexpr std::int64_t one = 1;
  const std::int64_t first = (((one * 3 + 0) * 10 + 2) * 8 + 1) * 6;
  CHECK(block.at({0, 0, 0, 0}) - memory.data() == first);
  CHECK(block.at({1, 2, 3, 4}) - memory.data() == first + (((one * 3 + 2) * 10 + 3) * 8 + 4) * 6);
  Block<char> far;
  far.n = std::int64_t{1} << 32;
  CHECK(far.at({3, 0, 0, 0}) - far.data == std::int64_t{3} << 32);
}

TEST_CASE("Block: a place has the address of its position, in even blocks and in others") {
  const Box buffer = whole({{3, 4, 2, 6, 5}});
  Box rows = buffer;
  rows[Dim::h] = {2, 6};
  Box columns = buffer;
  columns[Dim::w] = {1, 4};
  Box one_row = rows;
  one_row[Dim::n] = {1, 2};
  one_row[Dim::d] = {1, 2};
  std::vector<float> memory(static_cast<std::size_t>(volume(buffer)));
  const auto view = [&](const Box& inner) {
    return view_of(memory.data(), buffer, inner, sizeof(float));
  };
  CHECK(position_step(view(buffer)) == 4);
  CHECK(position_step(view(one_row)) == 4);
  CHECK(position_step(view(rows)) == -1);
  CHECK(position_step(view(columns)) == -1);
  for (const Box& inner : {buffer, rows, columns, one_row}) {
    const TensorView here = view(inner);
    const Block<float> block(here);
    const Positions positions(shape_of(inner), {&here});
    for (std::uint32_t i = 0; i < positions.count(); ++i) {
      CHECK(block.at(positions.place(i)) == block.at(positions.at(i)));
    }
  }
}

TEST_CASE("Positions: places have no coordinates only where all blocks are even") {
  const Box buffer = whole({{3, 4, 2, 6, 5}});
  Box columns = buffer;
  columns[Dim::w] = {1, 4};
  const TensorView even = view_of(nullptr, columns, columns, sizeof(float));
  const TensorView uneven = view_of(nullptr, buffer, columns, sizeof(float));
  const Shape shape = shape_of(columns);
  CHECK(Positions(shape, {&even}).place(5).is_even);
  CHECK(Positions(shape, {&even, &uneven}).place(5).w == 2);
  CHECK(Positions(shape).place(5).w == 2);
}

}  // namespace cnnplan::cudnn
