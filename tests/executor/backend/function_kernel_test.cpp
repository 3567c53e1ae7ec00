// What kernels check of their operands.
#include "executor/backend/function_kernel.hpp"

#include <array>
#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("FunctionKernel: a wrong number of operands is a broken contract") {
  FunctionKernel kernel("test", 2, [](Operands, const StepState&) {});
  const std::array<TensorView, 3> operands{};
  CHECK_NOTHROW(kernel.run(std::span(operands).first(2), {}));
  CHECK_THROWS_AS(kernel.run(operands, {}), std::logic_error);
}

TEST_CASE("FunctionKernel: reports the memory that its body keeps") {
  const auto nothing = [](Operands, const StepState&) {};
  CHECK(FunctionKernel("test", 2, nothing).workspace_bytes() == 0);
  CHECK(FunctionKernel("test", 2, nothing, 64).workspace_bytes() == 64);
}

TEST_CASE("require_shape: only equal shapes, or two empty ones") {
  const Shape shape{{1, 2, 1, 3, 4}};
  CHECK_NOTHROW(require_shape({.box = whole(shape)}, shape));
  CHECK_THROWS_AS(require_shape({.box = whole(shape)}, Shape{{1, 2, 1, 3, 5}}), std::logic_error);
  CHECK_NOTHROW(require_shape({.box = {}}, Shape{{0, 2, 1, 3, 4}}));
  CHECK_THROWS_AS(require_shape({.box = {}}, shape), std::logic_error);
}

}  // namespace cnnplan
