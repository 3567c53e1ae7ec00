// Holds an operation of a schedule that is ready to run as often as there are steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "executor/backend/backend.hpp"
#include "executor/backend/device.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Holds the functions that run an operation, and what reports need of it.
struct PreparedOperation {
  std::function<void(const StepState&)> start;  // empty: left out
  std::function<void()> finish;                 // empty: the host has nothing left to do
  // What the host does for the coming step once the kernels of this step have started, but not the
  // updates; empty: nothing.
  std::function<void(const StepState&)> ahead;
  std::int64_t workspace_bytes = 0;   // scratch memory of a kernel
  std::int64_t staging_bytes = 0;     // on the device, for messages or coming data
  std::string implementation;         // of a kernel, as the backend names it
  bool is_kernel = false;             // false for kernels that are left out, too
  const std::string* name = nullptr;  // its id, for the watchdog; lives until the program ends
  // These events mark the begin and the end in the queue. Steps record only the ones they need.
  std::unique_ptr<Event> begin;
  std::unique_ptr<Event> end;
};

using PreparedOperations = IndexedVector<OperationIndex, PreparedOperation>;

}  // namespace cnnplan
