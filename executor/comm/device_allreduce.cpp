// Down, sum, up.
#include "executor/comm/device_allreduce.hpp"

#include <stdexcept>

#include "executor/comm/cuda_aware.hpp"

namespace cnnplan {
namespace {

bool sums_in_place(const AllreduceSpec& spec) {
  const bool is_library = spec.algorithm == AllreduceAlgorithm::library;
  return spec.device->is_host() || (is_library && (spec.nccl != nullptr || mpi_is_cuda_aware()));
}

bool goes_in_rounds(AllreduceAlgorithm algorithm) {
  return algorithm != AllreduceAlgorithm::ring && algorithm != AllreduceAlgorithm::library;
}

}  // namespace

DeviceAllreduce::DeviceAllreduce(const Communicator& group, const AllreduceSpec& spec)
    : group_(group), spec_(spec), ready_(spec.device->make_event()) {
  if (spec.element != ElementType::fp32 && spec.element != ElementType::fp64) {
    throw std::logic_error("gradients and sums are of 32 or 64 bits");
  }
  if (!sums_in_place(spec)) {
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

bool DeviceAllreduce::is_by_nccl() const {
  return spec_.nccl != nullptr && spec_.algorithm == AllreduceAlgorithm::library;
}

void DeviceAllreduce::start() {
  if (is_by_nccl()) {
    return spec_.nccl->allreduce(*spec_.device, spec_.data, spec_.elements, spec_.element);
  }
  if (mirror_.data() != nullptr) {
    spec_.device->copy_to_host(mirror_.data(), spec_.data, mirror_.size_bytes());
  }
  ready_->record();
}

void DeviceAllreduce::finish() {
  if (is_by_nccl()) return;
  ready_->synchronize();
  if (mirror_.data() == nullptr) {
    sum(spec_.data);
  } else {
    sum(mirror_.data());
    spec_.device->copy_to_device(spec_.data, mirror_.data(), mirror_.size_bytes());
  }
}

void DeviceAllreduce::sum(void* values) {
  const auto count = static_cast<std::size_t>(spec_.elements);
  if (spec_.element == ElementType::fp32) {
    sum(std::span(static_cast<float*>(values), count));
  } else {
    sum(std::span(static_cast<double*>(values), count));
  }
}

template <typename T>
void DeviceAllreduce::sum(std::span<T> values) {
  if (exchange_) {
    exchange_->sum(values);
  } else {
    group_.allreduce(values, spec_.algorithm);
  }
}

}  // namespace cnnplan
