// Maps the elements of tensors to C++ types, and rounds numbers to them.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "executor/backend/half.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Numbers that are stored as T are computed in this type: 16-bit numbers in float, others in T.
template <typename T>
using Computed = std::conditional_t<std::is_floating_point_v<T>, std::remove_const_t<T>, float>;

// Returns `value`, rounded to type T. For a 16-bit T it is rounded twice: to float, then to T.
template <typename T>
CNNPLAN_HOST_DEVICE constexpr T stored(double value) {
  return T(static_cast<Computed<T>>(value));
}

// Calls f(T{}) with the type T of `element`.
template <typename F>
decltype(auto) with_type_of(ElementType element, F&& f) {
  switch (element) {
    case ElementType::fp32:
      return f(float{});
    case ElementType::fp64:
      return f(double{});
    case ElementType::bf16:
      return f(BFloat16{});
    case ElementType::fp16:
      return f(Float16{});
  }
  throw std::logic_error("unknown element");
}

// Returns `value`, rounded to `element` as stored() rounds it.
inline double rounded(ElementType element, double value) {
  return with_type_of(element, [value]<typename T>(T) -> double { return stored<T>(value); });
}

}  // namespace cnnplan
