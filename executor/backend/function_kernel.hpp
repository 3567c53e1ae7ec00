// A kernel whose body is a function: for the loops that need no library object.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "executor/backend/backend.hpp"

namespace cnnplan {

class FunctionKernel final : public Kernel {
 public:
  using Body = std::function<void(Operands operands, const StepState& state)>;

  // run() throws std::logic_error unless it gets exactly `operand_count` operands.
  // `workspace_bytes`: what `body` keeps beside them.
  FunctionKernel(std::string implementation,
                 std::size_t operand_count,
                 Body body,
                 std::int64_t workspace_bytes = 0)
      : implementation_(std::move(implementation)),
        operand_count_(operand_count),
        body_(std::move(body)),
        workspace_bytes_(workspace_bytes) {}

  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string implementation() const override { return implementation_; }

 private:
  std::string implementation_;
  std::size_t operand_count_;
  Body body_;
  std::int64_t workspace_bytes_;
};

// @throws std::logic_error when `view` is not of the extents that the kernel was built for
void require_shape(const TensorView& view, const Shape& shape);

}  // namespace cnnplan
