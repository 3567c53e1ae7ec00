// Where kernels run: its memory, its queues of work and its clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/memory_block.hpp"

namespace cnnplan {

// Work of one queue runs in order; queues run side by side where the device can.
enum class Queue { compute, halo, reduce };

// A point in the work of a queue.
class Event {
 public:
  virtual ~Event() = default;
  // Marks the end of what is in the selected queue.
  virtual void record() = 0;
  // What is put in the selected queue from now on waits for the mark.
  virtual void wait() const = 0;
  // The host waits for the mark.
  virtual void synchronize() const = 0;
  // @pre the work before both marks is done
  virtual double seconds_since(const Event& earlier) const = 0;
};

// Work that is put in a queue as a whole.
class WorkGraph {
 public:
  virtual ~WorkGraph() = default;
  virtual void launch() = 0;
};

// Everything that takes memory of the device is put in the selected queue and may run later, unless
// is_host(). Memory that the host passes in must stay as it is until then.
class Device {
 public:
  virtual ~Device() = default;
  // As in a fingerprint: "NVIDIA H200".
  virtual std::string name() const = 0;
  // Which of the node's devices it is: "GPU 1 (0000:3b:00.0)", "CPU".
  virtual std::string place() const = 0;
  // True where kernels work in the host's memory, and are done when they return.
  virtual bool is_host() const = 0;
  // Bytes that were free when it was opened, less what libraries take later; 0 where it has none of
  // its own.
  virtual std::int64_t memory_bytes() const = 0;
  // Devices of this kind that the ranks of a node take in turn.
  virtual int devices_here() const = 0;

  // Zeroed. @throws InfeasibleError where the device has not as much, std::bad_alloc the host
  virtual MemoryBlock allocate(std::int64_t bytes) = 0;
  // Zeroed memory of the host from and to which the device copies fastest.
  virtual MemoryBlock allocate_staging(std::int64_t bytes) = 0;

  virtual void select(Queue queue) = 0;
  // How many lanes of kernels will be selected: further queues beside Queue::compute, which is that
  // of lane 0. Before the first of their work; for devices that have queues.
  virtual void reserve_lanes(int) {}
  virtual void select_lane(int) { select(Queue::compute); }
  // The selected queue as the device's own libraries take it: a cudaStream_t; null on a host.
  virtual void* native_queue() const { return nullptr; }
  virtual void clear(void* memory, std::int64_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* device, std::int64_t bytes) = 0;
  virtual void copy_to_device(void* device, const void* host, std::int64_t bytes) = 0;
  virtual void copy(const BoxCopy& copy) = 0;
  // destination += source
  virtual void add(const BoxCopy& copy) = 0;
  // The host waits for all work of all queues. @throws BackendError when some of it failed
  virtual void synchronize() = 0;

  virtual std::unique_ptr<Event> make_event() = 0;
  // What `enqueue` puts in the selected queue, not run; null where the device has no graphs.
  virtual std::unique_ptr<WorkGraph> capture(const std::function<void()>& enqueue) = 0;
};

}  // namespace cnnplan
