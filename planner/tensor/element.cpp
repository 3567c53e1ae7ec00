// Returns the sizes of elements, and the elements that a precision uses.
#include "planner/tensor/element.hpp"

#include <stdexcept>

namespace cnnplan {

std::int64_t bytes_of(ElementType element) {
  return bytes_of(buffer_element(element));
}

ElementType activation_element(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return ElementType::fp32;
    case Precision::fp64:
      return ElementType::fp64;
    case Precision::bf16:
      return ElementType::bf16;
    case Precision::fp16:
      return ElementType::fp16;
  }
  throw std::logic_error("unknown precision");
}

ElementType parameter_element(Precision precision) {
  return precision == Precision::fp64 ? ElementType::fp64 : ElementType::fp32;
}

std::int64_t bytes_of(BufferElement element) {
  switch (element) {
    case BufferElement::fp64:
      return 8;
    case BufferElement::fp32:
    case BufferElement::int32:
      return 4;
    case BufferElement::bf16:
    case BufferElement::fp16:
      return 2;
  }
  throw std::logic_error("unknown element");
}

BufferElement buffer_element(ElementType element) {
  switch (element) {
    case ElementType::fp32:
      return BufferElement::fp32;
    case ElementType::fp64:
      return BufferElement::fp64;
    case ElementType::bf16:
      return BufferElement::bf16;
    case ElementType::fp16:
      return BufferElement::fp16;
  }
  throw std::logic_error("unknown element");
}

ElementType element_type(BufferElement element) {
  for (ElementType type :
       {ElementType::fp32, ElementType::fp64, ElementType::bf16, ElementType::fp16}) {
    if (buffer_element(type) == element) return type;
  }
  throw std::logic_error("a buffer of integers where numbers are wanted");
}

}  // namespace cnnplan
