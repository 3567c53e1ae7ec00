// Declares what the executor calls of a device: its memory, its queues of work and its clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/memory_block.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Names the queues of a device: one for each Stream of a schedule that puts work on it, and one
// that brings the data of the coming step. Work of one queue runs in order. Queues run at the same
// time where the device can.
enum class Queue { compute, halo, reduce, load };

// An event is a point in the work of a queue. Its functions throw as those of Device.
class Event {
 public:
  virtual ~Event() = default;
  // Marks the end of what is in the selected queue.
  virtual void record() = 0;
  // Work that is put in the selected queue from now on waits for the mark.
  virtual void wait() const = 0;
  // The host waits for the mark.
  virtual void synchronize() const = 0;
  // Returns the seconds from the mark of `earlier`, on the same device, to this mark.
  // @pre the work before both marks is done
  virtual double seconds_since(const Event& earlier) const = 0;
};

// A graph is work that is put in a queue as a whole. It must not outlive the device.
class WorkGraph {
 public:
  virtual ~WorkGraph() = default;
  // Puts the work in the selected queue. @throws BackendError where the device refuses it,
  // DeviceLostError
  virtual void launch() = 0;
};

// A call that takes memory of the device puts work in the selected queue, which may run later
// unless is_host(). Memory that the host passes in must stay as it is until then.
// @throws BackendError where the device refuses a call, and DeviceLostError where earlier work
// ended its use. Every function that uses the device may throw them, but none does on a host.
class Device {
 public:
  virtual ~Device() = default;
  // Returns the name of the model, as fingerprints begin with it: "NVIDIA H200".
  virtual std::string name() const = 0;
  // Returns which of the node's devices it is, with its PCI address: "GPU 1 (0000:3b:00.0)", "CPU".
  virtual std::string place() const = 0;
  // True where kernels work in the host's memory, and are done when they return.
  virtual bool is_host() const = 0;
  // Returns the bytes that were free when this object was made, less a reserve for libraries.
  // Returns 0 where the device has no memory of its own.
  virtual std::int64_t memory_bytes() const = 0;
  // Returns the most bytes that this process had at one time, as the system says; 0 where it says
  // nothing. For a device with memory of its own, it returns how many bytes fewer are free now than
  // when this object was made, whoever took them.
  virtual std::int64_t peak_bytes() const = 0;
  // Returns how many devices of this kind the ranks of a node take in turn.
  virtual int devices_here() const = 0;

  // Returns zeroed memory.
  // @throws InfeasibleError where the device lacks it; OutOfMemoryError where the device is the
  // host
  virtual MemoryBlock allocate(std::int64_t bytes) = 0;
  // Returns zeroed memory of the host from and to which the device copies fastest.
  // @throws OutOfMemoryError where the host lacks it, or cannot pin it for a device
  virtual MemoryBlock allocate_staging(std::int64_t bytes) = 0;

  // Makes `queue` the one in which later calls put work.
  virtual void select(Queue queue) = 0;
  // Says how many lanes of kernels will be selected. Lane 0 is Queue::compute. Each other lane is a
  // further queue where the device has queues. Call it before the first work of the lanes.
  virtual void reserve_lanes(int) {}
  // Selects the queue of a lane. @pre the lane was reserved
  virtual void select_lane(int) { select(Queue::compute); }
  // Returns the selected queue as the device's libraries take it: a cudaStream_t, or null on a
  // host.
  virtual void* native_queue() const { return nullptr; }
  // Sets memory of the device to 0.
  virtual void clear(void* memory, std::int64_t bytes) = 0;
  // Both functions copy bytes between memory of the host and memory of the device.
  virtual void copy_to_host(void* host, const void* device, std::int64_t bytes) = 0;
  virtual void copy_to_device(void* device, const void* host, std::int64_t bytes) = 0;
  // Computes destination = source. Both blocks are in memory of the device, here and in add().
  virtual void copy(const BoxCopy& copy) = 0;
  // Computes destination += source.
  virtual void add(const BoxCopy& copy) = 0;
  // Tells whether `count` numbers in memory of the device are finite. It comes after the work of
  // the selected queue, and blocks until the answer is known. The first call may allocate.
  virtual bool are_finite(ElementType element, const void* memory, std::int64_t count) = 0;
  // The host waits for all work of all queues.
  // @throws DeviceLostError when some of the work failed, BackendError when the call itself did
  virtual void synchronize() = 0;

  // Returns an event without a mark. It must not outlive the device.
  virtual std::unique_ptr<Event> make_event() = 0;
  // Returns the work that `enqueue` puts in the selected queue, which does not run. Returns null,
  // and does not call `enqueue`, where the device has no graphs. Memory that the work uses must
  // stay.
  // @throws BackendError where work cannot be captured, and what `enqueue` throws
  virtual std::unique_ptr<WorkGraph> capture(const std::function<void()>& enqueue) = 0;
};

// Returns the kind of a device.
inline DeviceKind kind_of(const Device& device) {
  return device.is_host() ? DeviceKind::cpu : DeviceKind::gpu;
}

}  // namespace cnnplan
