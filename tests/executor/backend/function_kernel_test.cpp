// Tests what kernels check of their operands.
#include "executor/backend/function_kernel.hpp"

#include <array>
#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

KernelSpec relu() {
  KernelSpec spec;
  spec.kind = KernelKind::relu;
  return spec;
}

}  // namespace

TEST_CASE("FunctionKernel: a wrong number of operands is a broken contract") {
  FunctionKernel kernel("test", relu(), [](const OperandsByRole&, const StepState&) {});
  const std::array<TensorView, 3> operands{};
  CHECK_NOTHROW(kernel.run(std::span(operands).first(2), {}));
  CHECK_THROWS_AS(kernel.run(operands, {}), std::logic_error);
}

TEST_CASE("FunctionKernel: the body finds operands by role") {
  std::array<TensorView, 2> operands{};
  operands[0].box = whole(Shape{{1, 2, 1, 3, 4}});
  FunctionKernel kernel("test", relu(), [](const OperandsByRole& by_role, const StepState&) {
    CHECK(by_role[Role::x].box == by_role.in_order()[0].box);
    CHECK(by_role[Role::y].box == by_role.in_order()[1].box);
    CHECK(!by_role.has(Role::dy));
    CHECK_THROWS_AS(by_role[Role::dy], std::logic_error);
  });
  kernel.run(operands, {});
}

TEST_CASE("FunctionKernel: reports the memory that its body keeps") {
  const auto nothing = [](const OperandsByRole&, const StepState&) {};
  CHECK(FunctionKernel("test", relu(), nothing).workspace_bytes() == 0);
  CHECK(FunctionKernel("test", relu(), nothing, 64).workspace_bytes() == 64);
}

TEST_CASE("require_shape: only equal shapes, or two empty ones") {
  const Shape shape{{1, 2, 1, 3, 4}};
  CHECK_NOTHROW(require_shape({.box = whole(shape)}, shape));
  CHECK_THROWS_AS(require_shape({.box = whole(shape)}, Shape{{1, 2, 1, 3, 5}}), std::logic_error);
  CHECK_NOTHROW(require_shape({.box = {}}, Shape{{0, 2, 1, 3, 4}}));
  CHECK_THROWS_AS(require_shape({.box = {}}, shape), std::logic_error);
}

}  // namespace cnnplan
