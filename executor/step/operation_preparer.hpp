// Makes the kernels, transfers and collectives of a schedule, once for all steps.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "executor/step/left_out_kernels.hpp"
#include "executor/step/prepared_operation.hpp"
#include "executor/step/schedule_memory.hpp"
#include "executor/step/step_context.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Turns operations into functions that run them.
class OperationPreparer {
 public:
  // Keeps references to all arguments. Prepared operations refer to the schedule, the context and
  // the memory, but not to this object.
  OperationPreparer(const Schedule& schedule,
                    const StepContext& context,
                    ScheduleMemory& memory,
                    LeftOutKernels& left_out);

  // Returns an operation ready to run. It is collective over the ranks of the operation where it
  // communicates.
  // @throws BackendError or InfeasibleError for a kernel that cannot be made, unless the context
  // leaves such kernels out; DeviceLostError; as the constructors of Transfer and DeviceCollective;
  // as Groups::get_nccl()
  PreparedOperation prepare(const Operation& operation) const;

 private:
  PreparedOperation prepare_body(const KernelOperation& operation) const;
  PreparedOperation prepare_body(const TransferOperation& operation) const;
  PreparedOperation prepare_body(const CollectiveOperation& operation, Stream stream) const;
  PreparedOperation prepare_body(const LoadOperation& operation) const;
  std::shared_ptr<Kernel> make_kernel(const KernelOperation& operation,
                                      const KernelSpec& spec,
                                      const KernelConstants& constants) const;
  Device& device() const { return context_.backend->device(); }

  const Schedule& schedule_;
  const StepContext& context_;
  ScheduleMemory& memory_;
  LeftOutKernels& left_out_;
};

}  // namespace cnnplan
