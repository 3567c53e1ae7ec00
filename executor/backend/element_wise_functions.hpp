// Lists the functions of element-wise kernels, such as a ReLU, with which all backends run them.
#pragma once

#include <stdexcept>

#include "executor/backend/element.hpp"
#include "executor/backend/operands_by_role.hpp"

namespace cnnplan {

// A function has y = forward(x, parameter) and dx = backward(saved, dy, parameter). The row of its
// kind in planner/kernel/kernel_kinds.cpp says whether `saved` is y or x. `Number` is float or
// double. The parameter is KernelConstants::parameter unless the function has a parameter_of.

// Computes max(x, 0). Not-a-number stays. Minus infinity becomes not-a-number, because a 0 would
// hide an overflow. The difference is taken in both cases, so that loops become vectors.
template <typename Number>
CNNPLAN_HOST_DEVICE inline Number positive_part(Number x) {
  const Number below = x < Number{0} ? x : Number{0};
  return x - below;
}

// Returns x, or not-a-number in place of minus infinity, which a maximum would hide.
template <typename Number>
CNNPLAN_HOST_DEVICE inline Number seen_by_maximum(Number x) {
  const Number below = x < Number{0} ? x : Number{0};
  return x + (below - below);
}

// Computes y = min(max(x, 0), max). Not-a-number stays, and infinite numbers that would be clipped
// become not-a-number.
struct ReluFunction {
  static constexpr KernelKind kind = KernelKind::relu;

  // Rounds the maximum as outputs are rounded, so that no clipped output is below it.
  static double parameter_of(const KernelSpec& spec, const KernelConstants& constants) {
    return rounded(activation_element(spec.precision), constants.relu_max);
  }
  template <typename Number>
  CNNPLAN_HOST_DEVICE static Number forward(Number x, Number max) {
    const Number positive = positive_part(x);
    const Number above = positive > max ? positive : Number{0};
    return (positive > max ? max : positive) + (above - above);
  }
  template <typename Number>
  CNNPLAN_HOST_DEVICE static Number backward(Number y, Number dy, Number max) {
    const bool passes = (y > Number{0}) & (y < max);
    return passes ? dy : Number{0};
  }
};

// Computes y = x where x > 0, else slope x. Not-a-number stays.
struct LeakyReluFunction {
  static constexpr KernelKind kind = KernelKind::leaky_relu;

  template <typename Number>
  CNNPLAN_HOST_DEVICE static Number forward(Number x, Number slope) {
    return scale_below(x, x, slope);
  }
  template <typename Number>
  CNNPLAN_HOST_DEVICE static Number backward(Number y, Number dy, Number slope) {
    return scale_below(y, dy, slope);
  }

 private:
  // Returns `value` where `sign` is above 0, else slope * value. It multiplies in both cases,
  // because GCC does not vectorise products under a condition for AVX2.
  template <typename Number>
  CNNPLAN_HOST_DEVICE static Number scale_below(Number sign, Number value, Number slope) {
    const Number passed = sign > Number{0} ? value : Number{0};
    const Number scaled = sign > Number{0} ? Number{0} : value;
    return passed + slope * scaled;
  }
};

// Lists types of functions at compile time, at least one.
template <typename First, typename... Rest>
struct FunctionList {
  // True if a function of the list computes this kind of kernel.
  static constexpr bool has(KernelKind kind) {
    return kind == First::kind || (... || (kind == Rest::kind));
  }
  // Calls f(function) with the function of a kind. @throws std::logic_error unless has(kind)
  template <typename F>
  static auto with(KernelKind kind, const F& f) {
    if (kind == First::kind) return f(First{});
    if constexpr (sizeof...(Rest) > 0) return FunctionList<Rest...>::with(kind, f);
    throw std::logic_error("no element-wise function has this kind");
  }
};

// Lists all element-wise functions. A new function becomes an entry here. A kind of kernel that is
// not in this list needs a row in the table of every backend (KernelFactories).
using ElementWiseFunctions = FunctionList<ReluFunction, LeakyReluFunction>;

// Returns the parameter that the function takes in a kernel with this spec and these constants.
template <typename Function>
double parameter_of(const KernelSpec& spec, const KernelConstants& constants) {
  if constexpr (requires { Function::parameter_of(spec, constants); }) {
    return Function::parameter_of(spec, constants);
  } else {
    return constants.parameter;
  }
}

// Returns the role of the block of the forward pass that a backward kernel with these operands
// reads: y if it has one, else x.
inline Role saved_role(const OperandsByRole& operands) {
  return operands.has(Role::y) ? Role::y : Role::x;
}

}  // namespace cnnplan
