// Remembers the kernels that cannot run, which are left out of all steps.
#pragma once

#include <set>

#include "executor/step/step_context.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

// Holds the specs of the kernels that are left out.
class LeftOutKernels {
 public:
  // Keeps a reference to the context.
  explicit LeftOutKernels(const StepContext& context) : context_(context) {}

  bool contains(const KernelSpec& spec) const { return specs_.contains(spec); }
  // Leaves a kernel out. Call it in the handler of `error`.
  // @throws the error where the context leaves out no kernel, DeviceLostError where no other kernel
  // could run
  void insert(const KernelSpec& spec, const Error& error) {
    if (!context_.left_out) throw;
    context_.backend->device().synchronize();
    if (specs_.insert(spec).second) context_.left_out(spec, error.what());
  }

 private:
  const StepContext& context_;
  std::set<KernelSpec> specs_;
};

}  // namespace cnnplan
