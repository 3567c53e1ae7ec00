// Copies values from the device to the host, sums or gathers them there, and copies the result
// back, unless NCCL or MPI works on the device.
#include "executor/comm/device_collective.hpp"

#include <stdexcept>

#include "executor/comm/cuda_aware.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

// CUDA-aware MPI gets only whole allreduces: after MPI_Reduce_scatter the host has to move the
// shard to its place.
bool is_done_in_place(const CollectiveSpec& spec) {
  const bool is_library = spec.algorithm == AllreduceAlgorithm::library;
  const bool is_whole = spec.kind == CollectiveKind::allreduce;
  return spec.device->is_host() ||
         (is_library && (spec.nccl != nullptr || (is_whole && mpi_is_cuda_aware())));
}

bool goes_in_rounds(AllreduceAlgorithm algorithm) {
  return algorithm != AllreduceAlgorithm::ring && algorithm != AllreduceAlgorithm::library;
}

}  // namespace

DeviceCollective::DeviceCollective(const Communicator& group, const CollectiveSpec& spec)
    : group_(group), spec_(spec), ready_(spec.device->make_event()) {
  const bool is_16_bit = bytes_of(spec.element) == 2;
  if (is_16_bit && spec.kind != CollectiveKind::allgather) {
    throw std::logic_error("gradients and sums are of 32 or 64 bits");
  }
  if (!is_done_in_place(spec)) {
    mirror_ = spec.device->allocate_staging(spec.elements * bytes_of(spec.element));
  }
  if (goes_in_rounds(spec.algorithm)) {
    exchange_.emplace(group,
                      ExchangeShape{.algorithm = spec.algorithm,
                                    .elements = spec.elements,
                                    .ranks = group.size(),
                                    .ranks_per_node = spec.ranks_per_node});
  }
}

Range DeviceCollective::own_shard() const {
  return shard(spec_.elements, group_.size(), group_.rank());
}

bool DeviceCollective::is_by_nccl() const {
  return spec_.nccl != nullptr && spec_.algorithm == AllreduceAlgorithm::library;
}

// The range is the own shard before an allgather and after a reduce-scatter, because no other
// elements are valid then.
void DeviceCollective::copy(const Range& elements, bool to_device) {
  const std::int64_t element_bytes = bytes_of(spec_.element);
  std::byte* const mirror = mirror_.data() + elements.begin * element_bytes;
  std::byte* const data = static_cast<std::byte*>(spec_.data) + elements.begin * element_bytes;
  const std::int64_t bytes = elements.size() * element_bytes;
  if (to_device) {
    spec_.device->copy_to_device(data, mirror, bytes);
  } else {
    spec_.device->copy_to_host(mirror, data, bytes);
  }
}

void DeviceCollective::start_nccl() {
  const NcclValues values{.data = spec_.data, .elements = spec_.elements, .element = spec_.element};
  switch (spec_.kind) {
    case CollectiveKind::allreduce:
      return spec_.nccl->allreduce(*spec_.device, values);
    case CollectiveKind::reduce_scatter:
      return spec_.nccl->reduce_scatter(*spec_.device, values);
    case CollectiveKind::allgather:
      return spec_.nccl->allgather(*spec_.device, values);
  }
}

void DeviceCollective::start() {
  if (is_by_nccl()) return start_nccl();
  const Range all{0, spec_.elements};
  const bool gathers = spec_.kind == CollectiveKind::allgather;
  if (mirror_.data() != nullptr) copy(gathers ? own_shard() : all, false);
  ready_->record();
}

void DeviceCollective::finish() {
  if (is_by_nccl()) return;
  {
    const DeviceWait wait;
    ready_->synchronize();
  }
  if (mirror_.data() == nullptr) return run_on_host(spec_.data);
  run_on_host(mirror_.data());
  const bool scatters = spec_.kind == CollectiveKind::reduce_scatter;
  copy(scatters ? own_shard() : Range{0, spec_.elements}, true);
}

void DeviceCollective::run_on_host(void* values) {
  const std::size_t count = spec_.elements;
  begin_together(group_, spec_.elements * bytes_of(spec_.element));
  if (bytes_of(spec_.element) == 2) {
    group_.allgather(std::span(static_cast<std::uint16_t*>(values), count), spec_.algorithm);
  } else if (spec_.element == ElementType::fp32) {
    run_on_host(std::span(static_cast<float*>(values), count));
  } else {
    run_on_host(std::span(static_cast<double*>(values), count));
  }
}

template <typename T>
void DeviceCollective::run_on_host(std::span<T> values) {
  if (spec_.kind == CollectiveKind::reduce_scatter) {
    return group_.reduce_scatter(values, spec_.algorithm);
  }
  if (spec_.kind == CollectiveKind::allgather) {
    return group_.allgather(values, spec_.algorithm);
  }
  if (exchange_) {
    exchange_->sum(values);
  } else {
    group_.allreduce(values, spec_.algorithm);
  }
}

}  // namespace cnnplan
