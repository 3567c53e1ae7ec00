// Makes a kernel from a function, for loops that need no library object.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "executor/backend/backend.hpp"
#include "executor/backend/operands_by_role.hpp"

namespace cnnplan {

// Runs a function as a kernel.
class FunctionKernel final : public Kernel {
 public:
  using Body = std::function<void(const OperandsByRole& operands, const StepState& state)>;

  // run() calls `body`, and throws std::logic_error unless it gets as many operands as `spec` has.
  // `workspace_bytes` counts the memory that `body` keeps in addition to them.
  FunctionKernel(std::string implementation,
                 const KernelSpec& spec,
                 Body body,
                 std::int64_t workspace_bytes = 0)
      : implementation_(std::move(implementation)),
        positions_(spec),
        body_(std::move(body)),
        workspace_bytes_(workspace_bytes) {}

  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string implementation() const override { return implementation_; }

 private:
  std::string implementation_;
  OperandPositions positions_;
  Body body_;
  std::int64_t workspace_bytes_;
};

// Checks an operand of a kernel.
// @throws std::logic_error when the extents of `view` are not `shape`, for which the kernel was
// made, unless both are empty
void require_shape(const TensorView& view, const Shape& shape);

}  // namespace cnnplan
