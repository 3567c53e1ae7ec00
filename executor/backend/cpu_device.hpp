// Makes the processor a device: all work is done at once, in the host's memory.
#pragma once

#include <string>

#include "executor/backend/device.hpp"

namespace cnnplan {

// Returns the model of the processor and the number of threads of this rank: "AMD EPYC, 1 thread".
std::string cpu_name(int threads);

// Implements Device for the processor. It has no memory of its own, no queues and no graphs.
class CpuDevice final : public Device {
 public:
  std::string name() const override;
  std::string place() const override { return "CPU"; }
  bool is_host() const override { return true; }
  std::int64_t memory_bytes() const override { return 0; }
  std::int64_t peak_bytes() const override;
  int devices_here() const override { return 1; }
  MemoryBlock allocate(std::int64_t bytes) override { return MemoryBlock(bytes); }
  MemoryBlock allocate_staging(std::int64_t bytes) override { return MemoryBlock(bytes); }
  void select(Queue) override {}
  void clear(void* memory, std::int64_t bytes) override;
  void copy_to_host(void* host, const void* device, std::int64_t bytes) override;
  void copy_to_device(void* device, const void* host, std::int64_t bytes) override;
  void copy(const BoxCopy& copy) override { copy_box(copy); }
  void add(const BoxCopy& copy) override { add_box(copy); }
  bool are_finite(ElementType element, const void* memory, std::int64_t count) override;
  void synchronize() override {}
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<WorkGraph> capture(const std::function<void()>&) override { return nullptr; }
};

}  // namespace cnnplan
