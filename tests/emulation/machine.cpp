// Controls the emulation, and does what every emulated call does first and last.
#include "tests/emulation/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/emulation/call.hpp"

namespace cnnplan::emulation {
namespace {

void make_default_streams(Machine& all) {
  all.default_streams.clear();
  for (int device = 0; device < all.options.device_count; ++device) {
    auto stream = std::make_unique<CUstream_st>();
    stream->device = device;
    stream->queue = all.scheduler.new_queue();
    all.default_streams.push_back(std::move(stream));
  }
}

std::int64_t environment_number(const char* name, std::int64_t absent) {
  const char* const text = std::getenv(name);
  return text == nullptr ? absent : std::atoll(text);
}

// Adds the failure that CNNPLAN_EMULATED_FAILURE asks for as FUNCTION:NTH:ERROR, e.g.
// "work:100:700".
void add_failure_of_environment(Injections& injections) {
  const char* const text = std::getenv("CNNPLAN_EMULATED_FAILURE");
  if (text == nullptr) return;
  std::istringstream fields(text);
  std::string function;
  std::string nth;
  std::string error;
  std::getline(fields, function, ':');
  std::getline(fields, nth, ':');
  std::getline(fields, error, ':');
  injections.add(function, std::stoi(nth), std::stoi(error));
}

struct FirstMachine : Machine {
  FirstMachine() {
    options = options_of_environment();
    add_failure_of_environment(injections);
    memory.set_closed(options.closed_memory);
    scheduler.reset(options.schedule, options.seed);
    make_default_streams(*this);
  }
};

}  // namespace

Machine& machine() {
  // The machine is never destroyed, because static objects of tests free their memory at the end.
  static Machine& only = *new FirstMachine;
  return only;
}

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

bool is_closed_by_default() {
  return environment_number("CNNPLAN_EMULATED_CLOSED_MEMORY", 1) != 0;
}

Options options_of_environment() {
  Options options;
  options.device_count = static_cast<int>(environment_number("CNNPLAN_EMULATED_DEVICES", 1));
  options.seed = static_cast<std::uint64_t>(environment_number("CNNPLAN_EMULATED_SEED", 0));
  options.cudnn_asymmetric_padding =
      environment_number("CNNPLAN_EMULATED_ASYMMETRIC_PADDING", 1) != 0;
  const char* const schedule = std::getenv("CNNPLAN_EMULATED_SCHEDULE");
  const std::string_view name = schedule == nullptr ? "lazy" : schedule;
  if (name == "random") options.schedule = Schedule::random;
  if (name == "eager") options.schedule = Schedule::eager;
  return options;
}

void reset(const Options& options) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.streams.clear();
  all.events.clear();
  all.graphs.clear();
  all.graph_execs.clear();
  all.library_objects.clear();
  all.scheduler.reset(options.schedule, options.seed);
  all.memory.clear();
  all.memory.set_closed(options.closed_memory);
  all.pinned.clear();
  all.injections = {};
  all.counters = {};
  all.sticky = cudaSuccess;
  all.options = options;
  make_default_streams(all);
  thread_state() = {};
}

Counters counters() {
  const std::lock_guard lock(machine().mutex);
  Counters now = machine().counters;
  now.used_bytes = 0;
  for (int device = 0; device < machine().options.device_count; ++device) {
    now.used_bytes += machine().memory.used_bytes(device);
  }
  return now;
}

std::int64_t calls(const std::string& function) {
  const std::lock_guard lock(machine().mutex);
  return machine().injections.calls(function);
}

std::vector<std::string> leaks() {
  const Machine& all = machine();
  std::vector<std::string> found;
  const auto count = [&](std::size_t number, const std::string& what) {
    if (number > 0) found.push_back(std::to_string(number) + " " + what);
  };
  count(all.memory.allocations(), "device allocations");
  count(all.pinned.allocations(), "page-locked allocations");
  count(all.streams.size(), "streams");
  count(all.events.size(), "events");
  count(all.graphs.size(), "graphs");
  count(all.graph_execs.size(), "executable graphs");
  std::map<std::string, std::size_t> kinds;
  for (const auto& [handle, object] : all.library_objects) ++kinds[object.kind];
  for (const auto& [kind, number] : kinds) count(number, kind);
  return found;
}

void fail(const std::string& function, int nth, int error) {
  const std::lock_guard lock(machine().mutex);
  machine().injections.add(function, nth, error);
}

cudaError_t admit(const char* function) {
  Machine& all = machine();
  if (all.scheduler.inside_work()) return cudaErrorNotPermitted;
  if (const int error = all.injections.next(function); error != 0) {
    return static_cast<cudaError_t>(error);
  }
  if (all.options.device_count == 0) return all.options.no_device_error;
  if (all.sticky != cudaSuccess) return all.sticky;
  all.scheduler.wander();
  return all.sticky;
}

cudaError_t check_no_capture() {
  Capture* capture = forbidding_capture();
  if (capture == nullptr) return cudaSuccess;
  capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t finish(cudaError_t result) {
  if (result != cudaSuccess) thread_state().last_error = result;
  return result;
}

}  // namespace cnnplan::emulation
