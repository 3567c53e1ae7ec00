// Tests which elements each precision has, and their sizes.
#include "planner/tensor/element.hpp"

#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

TEST_CASE("element: 16 bits for activations only") {
  struct Row {
    Precision precision;
    ElementType activation;
    ElementType parameter;
  };
  for (const Row& row : {Row{Precision::fp32, ElementType::fp32, ElementType::fp32},
                         Row{Precision::fp64, ElementType::fp64, ElementType::fp64},
                         Row{Precision::tf32, ElementType::fp32, ElementType::fp32},
                         Row{Precision::bf16, ElementType::bf16, ElementType::fp32},
                         Row{Precision::fp16, ElementType::fp16, ElementType::fp32}}) {
    CHECK(activation_element(row.precision) == row.activation);
    CHECK(parameter_element(row.precision) == row.parameter);
  }
}

TEST_CASE("element: sizes, and buffers of numbers") {
  struct Row {
    ElementType element;
    BufferElement buffer;
    std::int64_t bytes;
  };
  for (const Row& row : {Row{ElementType::fp32, BufferElement::fp32, 4},
                         Row{ElementType::fp64, BufferElement::fp64, 8},
                         Row{ElementType::bf16, BufferElement::bf16, 2},
                         Row{ElementType::fp16, BufferElement::fp16, 2}}) {
    CHECK(bytes_of(row.element) == row.bytes);
    CHECK(bytes_of(row.buffer) == row.bytes);
    CHECK(buffer_element(row.element) == row.buffer);
    CHECK(element_type(row.buffer) == row.element);
  }
  CHECK(bytes_of(BufferElement::int32) == 4);
  CHECK_THROWS_AS(element_type(BufferElement::int32), std::logic_error);
}

}  // namespace
}  // namespace cnnplan::test
