// Allocation, copies, events and graphs by the CUDA runtime.
#include "executor/backend/cudnn/cuda_device.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "executor/backend/cudnn/kernels/box_kernels.hpp"
#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr int khz_per_mhz = 1000;

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(const CudaDevice& device) : device_(device), event_(cudnn::make_event()) {}
  // In a graph, the event is recorded whenever the graph runs.
  void record() override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(device_.stream(), &status), "cudaStreamIsCapturing");
    const unsigned int flags =
        status == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    check_cuda(cudaEventRecordWithFlags(event_.get(), device_.stream(), flags),
               "cudaEventRecordWithFlags");
  }
  void wait() const override {
    check_cuda(cudaStreamWaitEvent(device_.stream(), event_.get(), 0), "cudaStreamWaitEvent");
  }
  void synchronize() const override {
    check_cuda(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
  }
  double seconds_since(const Event& earlier) const override {
    constexpr double seconds_per_ms = 1e-3;
    float ms = 0.0F;
    check_cuda(cudaEventElapsedTime(
                   &ms, dynamic_cast<const CudaEvent&>(earlier).event_.get(), event_.get()),
               "cudaEventElapsedTime");
    return seconds_per_ms * static_cast<double>(ms);
  }

 private:
  const CudaDevice& device_;
  EventOwner event_;
};

class CudaGraph final : public WorkGraph {
 public:
  CudaGraph(const CudaDevice& device, cudaGraph_t graph) : device_(device) {
    const GraphOwner owner(graph);
    cudaGraphExec_t exec = nullptr;
    check_cuda(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    exec_.reset(exec);
  }
  void launch() override {
    check_cuda(cudaGraphLaunch(exec_.get(), device_.stream()), "cudaGraphLaunch");
  }

 private:
  const CudaDevice& device_;
  GraphExecOwner exec_;
};

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

// The CUDA runtime, cuDNN and NCCL allocate modules and buffers of their own later.
std::int64_t without_reserve(std::int64_t free) {
  constexpr std::int64_t least = std::int64_t{256} << 20;
  constexpr std::int64_t part = 32;
  return free - std::min(free / 2, std::max(least, free / part));
}

}  // namespace

DeviceCount count_devices() {
  int driver = 0;  // It stays 0 where there is no driver.
  cudaDriverGetVersion(&driver);
  DeviceCount devices{.has_driver = driver > 0};
  const cudaError_t status = cudaGetDeviceCount(&devices.count);
  if (status == cudaSuccess) return devices;
  cudaGetLastError();  // The caller gets the error as a value.
  devices.count = 0;
  devices.why_none = cudaGetErrorString(status);
  devices.is_broken = !says_no_device(status);
  return devices;
}

int require_devices(const std::string& advice) {
  const DeviceCount devices = count_devices();
  if (devices.is_broken) throw BackendError("cudnn: cudaGetDeviceCount: " + devices.why_none);
  if (devices.count > 0) return devices.count;
  throw EnvironmentError("no CUDA device: " + devices.why_none + "; " + advice);
}

std::string cuda_versions() {
  int driver = 0;
  int runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return "CUDA " + version_text(runtime) + ", driver for CUDA " + version_text(driver);
}

CudaDevice::CudaDevice(int index) : index_(index) {
  check_cuda(cudaSetDevice(index), "cudaSetDevice");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  name_ = properties.name;
  major_ = properties.major;
  minor_ = properties.minor;
  clock_mhz_ = attribute(cudaDevAttrClockRate, index) / khz_per_mhz;
  memory_clock_mhz_ = attribute(cudaDevAttrMemoryClockRate, index) / khz_per_mhz;
  l2_cache_bytes_ = attribute(cudaDevAttrL2CacheSize, index);
  int greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least_priority_, &greatest),
             "cudaDeviceGetStreamPriorityRange");
  // Ranks wait for the work of the other two queues, so it goes first.
  for (int priority : {least_priority_, greatest, greatest}) {
    streams_.push_back(make_stream(priority));
  }
  memory_bytes_ = without_reserve(free_bytes());
}

CudaDevice::~CudaDevice() = default;

std::string CudaDevice::place() const {
  std::array<char, 32> bus{};
  check_cuda(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index_),
             "cudaDeviceGetPCIBusId");
  return "GPU " + std::to_string(index_) + " (" + bus.data() + ")";
}

MemoryBlock CudaDevice::allocate(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // The exception tells of the error.
    throw InfeasibleError(name_ + ": memory", bytes, free_bytes());
  }
  check_cuda(status, "cudaMalloc");
  MemoryBlock block(memory, bytes, [](void* owned) { cudaFree(owned); });
  check_cuda(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream()),
             "cudaMemsetAsync");
  check_cuda(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  return block;
}

MemoryBlock CudaDevice::allocate_staging(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* memory = nullptr;
  check_cuda(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  // After an exception, copies may still be on their way. cudaFreeHost does not wait for them.
  MemoryBlock block(memory, bytes, [](void* owned) {
    cudaDeviceSynchronize();
    cudaFreeHost(owned);
  });
  std::fill_n(block.data(), bytes, std::byte{0});
  return block;
}

void CudaDevice::select(Queue queue) {
  select_stream(static_cast<std::size_t>(queue));
}

void CudaDevice::reserve_lanes(int lanes) {
  const std::size_t wanted = queue_count + static_cast<std::size_t>(lanes) - 1;
  while (streams_.size() < wanted) streams_.push_back(make_stream(least_priority_));
}

void CudaDevice::select_lane(int lane) {
  select_stream(lane == 0 ? static_cast<std::size_t>(Queue::compute)
                          : queue_count + static_cast<std::size_t>(lane) - 1);
}

void CudaDevice::select_stream(std::size_t wanted) {
  if (wanted >= streams_.size()) throw std::logic_error("a lane that was not reserved");
  if (wanted == selected_) return;
  selected_ = wanted;
  if (on_select_) on_select_(stream());
}

void CudaDevice::clear(void* memory, std::int64_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream()),
             "cudaMemsetAsync");
}

void CudaDevice::copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpyAsync(
                 host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream()),
             "cudaMemcpyAsync");
}

void CudaDevice::copy_to_device(void* device, const void* host, std::int64_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpyAsync(
                 device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream()),
             "cudaMemcpyAsync");
}

void CudaDevice::copy_on_device(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpyAsync(
                 to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream()),
             "cudaMemcpyAsync");
}

void CudaDevice::copy(const BoxCopy& copy) {
  copy_runs(copy, stream());
}

void CudaDevice::add(const BoxCopy& copy) {
  add_runs(copy, stream());
}

void CudaDevice::synchronize() {
  for (const StreamOwner& stream : streams_) {
    check_cuda(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  }
}

std::unique_ptr<Event> CudaDevice::make_event() {
  return std::make_unique<CudaEvent>(*this);
}

std::unique_ptr<WorkGraph> CudaDevice::capture(const std::function<void()>& enqueue) {
  check_cuda(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
    check_cuda(cudaStreamEndCapture(stream(), &graph), "cudaStreamEndCapture");
  } catch (...) {
    cudaStreamEndCapture(stream(), &graph);
    cudaGetLastError();  // The capture is invalid because of the exception, which is thrown.
    const GraphOwner dropped(graph);
    throw;
  }
  return std::make_unique<CudaGraph>(*this, graph);
}

}  // namespace cnnplan::cudnn
