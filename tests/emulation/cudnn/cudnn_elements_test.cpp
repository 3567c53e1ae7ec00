// Tests elements of emulated tensors: their strides, and that each is rounded once.
#include "tests/emulation/cudnn/cudnn_elements.hpp"

#include <doctest/doctest.h>

#include "executor/backend/half.hpp"

namespace cnnplan::emulation {

TEST_CASE("emulated elements: strides tell where an element is") {
  const Tensor tensor{.type = CUDNN_DATA_FLOAT, .dims = {1, 2, 3}, .strides = {9, 1, 3}};
  std::vector<float> memory(9, -1.0F);
  store(tensor, {1, 2, 3, 4, 5, 6}, memory.data());
  CHECK(memory == std::vector<float>{1, 4, -1, 2, 5, -1, 3, 6, -1});
  CHECK(load(tensor, memory.data()) == Dense{1, 2, 3, 4, 5, 6});
  CHECK(extent_bytes(tensor) == 32);
}

TEST_CASE("emulated elements: 16 bits are rounded to once, not by way of float") {
  const double tie = 1.0 + 0x1p-11;
  const Dense values{tie + 0x1p-26, tie, -tie - 0x1p-26, 0.0, tie + 0x1p-23 - 0x1p-30};
  const Tensor tensor{.type = CUDNN_DATA_HALF, .dims = {1, 1, 5}, .strides = {5, 5, 1}};
  std::vector<Float16> memory(5);
  store(tensor, values, memory.data());
  const double above = 1.0 + 0x1p-10;
  CHECK(load(tensor, memory.data()) == Dense{above, 1.0, -above, 0.0, above});
}

TEST_CASE("emulated elements: TF32 has 10 bits of fraction, for floats only") {
  Dense values{1.0 + 0x1p-11 + 0x1p-20, 1.0 + 0x1p-11, -3.0};
  const Tensor doubles{.type = CUDNN_DATA_DOUBLE};
  const Dense before = values;
  round_to_tf32(doubles, values);
  CHECK(values == before);
  round_to_tf32({.type = CUDNN_DATA_FLOAT}, values);
  CHECK(values == Dense{1.0 + 0x1p-10, 1.0, -3.0});
}

}  // namespace cnnplan::emulation
