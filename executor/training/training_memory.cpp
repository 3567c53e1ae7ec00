// Adds up the schedules, states and gradients that a training holds at one time.
#include "executor/training/training_memory.hpp"

#include <algorithm>

#include "executor/training/gradient_check.hpp"
#include "planner/base/checked.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

// Returns the bytes of the two gradients that are compared.
std::int64_t gradient_bytes(const Schedule& schedule) {
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : schedule.slots) elements += slot.elements;
  return 2 * elements * bytes_of(ElementType::fp64);
}

// Returns the bytes of the chains' states that are kept while there is no runner.
std::int64_t state_bytes(const Schedule& schedule, const TrainingOptions& options) {
  std::int64_t bytes = 0;
  if (!options.gradient_check_period && options.test_file.empty()) return bytes;
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.role == BufferRole::state) bytes = checked_add(bytes, buffer.bytes);
  }
  return bytes;
}

}  // namespace

std::int64_t needed_bytes(const Plan& plan,
                          const Schedule& schedule,
                          const TrainingOptions& options,
                          DeviceKind device) {
  const auto total_bytes = [device](const Schedule& lowered) {
    return memory_of(lowered, {.device = device}).total_bytes();
  };
  const std::int64_t process = plan.prediction.memory.process_bytes;
  const std::int64_t states = checked_add(process, state_bytes(schedule, options));
  const std::int64_t bytes = std::max(
      total_bytes(schedule), total_bytes(lower(plan, schedule.rank, {.pass = Pass::inference})));
  if (!options.gradient_check_period || plan.multigrid.empty()) return checked_add(bytes, states);
  const std::int64_t serial = total_bytes(lower(serial_plan(plan), schedule.rank));
  const std::int64_t traced = total_bytes(lower(plan, schedule.rank, {.residuals = true}));
  return checked_add(std::max({bytes, serial, traced}),
                     checked_add(states, gradient_bytes(schedule)));
}

}  // namespace cnnplan
