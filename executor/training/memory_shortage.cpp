// Catches failed allocations, of which those of the standard library do not say their size.
#include "executor/training/memory_shortage.hpp"

#include <new>
#include <string>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

std::string plan_text(const Plan& plan) {
  const MemoryUse& memory = plan.prediction.memory;
  if (memory.total_bytes() == 0) return "; the plan does not say how much memory a rank needs";
  std::string text =
      "; the plan says that a rank needs " + bytes_text(memory.total_bytes()) + " for training";
  if (memory.available_bytes > 0) text += ", and has " + bytes_text(memory.available_bytes);
  return text;
}

}  // namespace

void tell_shortage(const Plan& plan, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::infeasible) throw;
    throw Error(ExitCode::infeasible, error.what() + plan_text(plan));
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError("memory ran out" + plan_text(plan));
  }
}

}  // namespace cnnplan
