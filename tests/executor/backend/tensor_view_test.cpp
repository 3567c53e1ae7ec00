// Tests the addresses of channels-last blocks.
#include "executor/backend/tensor_view.hpp"

#include <array>
#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("view_of: points at the first element of the inner block") {
  std::array<float, 120> buffer{};
  const Box outer{{{{10, 12}, {0, 5}, {0, 1}, {20, 23}, {30, 34}}}};
  const Box inner{{{{11, 12}, {1, 3}, {0, 1}, {21, 23}, {32, 34}}}};
  const TensorView view = view_of(buffer.data(), outer, inner, sizeof(float));
  CHECK(view.as<float>() - buffer.data() == ((1 * 3 + 1) * 4 + 2) * 5 + 1);
  CHECK(view.stride(Dim::c) == 1);
  CHECK(view.stride(Dim::w) == 5);
  CHECK(view.stride(Dim::h) == 20);
  CHECK(view.stride(Dim::n) == 60);
  CHECK_FALSE(is_dense(view));
  CHECK(is_dense(view_of(buffer.data(), outer, outer, sizeof(float))));
}

TEST_CASE("view_of: whole rows of a buffer are dense") {
  std::array<float, 12> buffer{};
  const Box outer = whole({{1, 2, 1, 3, 2}});
  Box rows = outer;
  rows[Dim::h] = {1, 3};
  CHECK(is_dense(view_of(buffer.data(), outer, rows, sizeof(float))));
}

TEST_CASE("view_of: a block outside its buffer is refused") {
  std::array<float, 12> buffer{};
  const Box outer = whole({{1, 2, 1, 3, 2}});
  Box outside = outer;
  outside[Dim::h] = {1, 4};
  CHECK_THROWS_AS(view_of(buffer.data(), outer, outside, sizeof(float)), std::logic_error);
}

}  // namespace cnnplan
