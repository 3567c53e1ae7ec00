// Compares copies of blocks between channels-last buffers with element-by-element loops.
#include "executor/backend/box_copy.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/half.hpp"

namespace cnnplan {
namespace {

std::size_t index_in(const Box& buffer, const std::array<std::int64_t, dim_count>& at) {
  std::int64_t index = 0;
  for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w, Dim::c}) {
    index = index * buffer[dim].size() + at[static_cast<std::size_t>(dim)] - buffer[dim].begin;
  }
  return static_cast<std::size_t>(index);
}

template <typename Visit>
void for_each_index(const Box& box, Visit visit) {
  std::array<std::int64_t, dim_count> at{};
  auto& [n, c, d, h, w] = at;
  for (n = box[Dim::n].begin; n < box[Dim::n].end; ++n)
    for (c = box[Dim::c].begin; c < box[Dim::c].end; ++c)
      for (d = box[Dim::d].begin; d < box[Dim::d].end; ++d)
        for (h = box[Dim::h].begin; h < box[Dim::h].end; ++h)
          for (w = box[Dim::w].begin; w < box[Dim::w].end; ++w) visit(at);
}

// Returns a box around `inner`, up to two larger on each side, and often not larger.
Box around(const Box& inner, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> margin(-2, 2);
  Box outer = inner;
  for (Range& range : outer.ranges) {
    range.begin -= std::max<std::int64_t>(0, margin(random));
    range.end += std::max<std::int64_t>(0, margin(random));
  }
  return outer;
}

Box random_box(std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> begin(3, 9);
  std::uniform_int_distribution<std::int64_t> size(0, 4);
  Box box;
  for (Range& range : box.ranges) {
    range.begin = begin(random);
    range.end = range.begin + std::max<std::int64_t>(1, size(random));
  }
  return box;
}

}  // namespace

TEST_CASE("BoxCopy: copies and adds as plain loops do") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Box box = random_box(random);
    const Box from_box = around(box, random);
    const Box to_box = around(box, random);
    std::vector<float> from(static_cast<std::size_t>(volume(from_box)));
    std::vector<float> to(static_cast<std::size_t>(volume(to_box)));
    std::iota(from.begin(), from.end(), 1.0F);
    std::iota(to.begin(), to.end(), 5000.0F);
    std::vector<float> copied = to;
    std::vector<float> added = to;
    for_each_index(box, [&](const auto& at) {
      copied[index_in(to_box, at)] = from[index_in(from_box, at)];
      added[index_in(to_box, at)] += from[index_in(from_box, at)];
    });
    std::vector<float> result = to;
    copy_box(make_box_copy(view_of(result.data(), to_box, box, sizeof(float)),
                           view_of(from.data(), from_box, box, sizeof(float)),
                           ElementType::fp32));
    CHECK(result == copied);
    result = to;
    add_box(make_box_copy(view_of(result.data(), to_box, box, sizeof(float)),
                          view_of(from.data(), from_box, box, sizeof(float)),
                          ElementType::fp32));
    CHECK(result == added);
  }
}

TEST_CASE_TEMPLATE("BoxCopy: 16-bit numbers are copied bit by bit, and added in float",
                   T,
                   BFloat16,
                   Float16) {
  constexpr ElementType type = std::is_same_v<T, BFloat16> ? ElementType::bf16 : ElementType::fp16;
  const Box outer = whole(Shape{{1, 3, 1, 4, 5}});
  Box inner = outer;
  inner[Dim::w] = {1, 4};
  std::vector<T> from;
  for (int i = 0; i < 60; ++i) from.push_back(T(1.1F + 0.37F * static_cast<float>(i)));
  std::vector<T> to(36, T(0.3F));
  const BoxCopy copy = make_box_copy(view_of(to.data(), inner, inner, sizeof(T)),
                                     view_of(from.data(), outer, inner, sizeof(T)),
                                     type);
  const auto check = [&](float base) {
    for_each_index(inner, [&](const auto& at) {
      const auto added = static_cast<float>(from[index_in(outer, at)]);
      CHECK(to[index_in(inner, at)].bits == T(base + added).bits);
    });
  };
  add_box(copy);
  check(static_cast<float>(T(0.3F)));
  copy_box(copy);
  check(0.0F);
}

TEST_CASE("BoxCopy: contiguous rows are one run") {
  const Box buffer = whole(Shape{{1, 8, 1, 10, 6}});
  Box rows = buffer;
  rows[Dim::h] = {2, 5};
  std::vector<float> from(480);
  std::vector<float> to(144);
  const BoxCopy copy = make_box_copy(view_of(to.data(), rows, rows, sizeof(float)),
                                     view_of(from.data(), buffer, rows, sizeof(float)),
                                     ElementType::fp32);
  CHECK(copy.run_elements == 3 * 6 * 8);
  CHECK(copy.counts == std::array<std::int64_t, 4>{1, 1, 1, 1});
}

TEST_CASE("BoxCopy: boxes must be equal") {
  std::vector<float> data(16);
  const Box a = whole(Shape{{1, 1, 1, 4, 4}});
  Box b = a;
  b[Dim::w] = {0, 2};
  CHECK_THROWS_AS(make_box_copy(view_of(data.data(), a, a, sizeof(float)),
                                view_of(data.data(), a, b, sizeof(float)),
                                ElementType::fp32),
                  std::logic_error);
}

}  // namespace cnnplan
