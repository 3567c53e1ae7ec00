// Calls the library once per attribute, and checks each call.
#include "executor/backend/cudnn/descriptor.hpp"

#include <utility>

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t handle = nullptr;
  check_cudnn(cudnnBackendCreateDescriptor(type, &handle), "cudnnBackendCreateDescriptor");
  handle_.reset(handle);
}

Descriptor& Descriptor::set_raw(cudnnBackendAttributeName_t name,
                                cudnnBackendAttributeType_t type,
                                std::int64_t count,
                                const void* values) {
  const std::string call = "cudnnBackendSetAttribute " + std::to_string(name);
  check_cudnn(cudnnBackendSetAttribute(handle_.get(), name, type, count, values), call.c_str());
  return *this;
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
  return set_raw(name, CUDNN_TYPE_INT64, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name,
                            std::span<const std::int64_t> values) {
  return set_raw(name, CUDNN_TYPE_INT64, values.size(), values.data());
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, double value) {
  return set_raw(name, CUDNN_TYPE_DOUBLE, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, float value) {
  return set_raw(name, CUDNN_TYPE_FLOAT, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, bool value) {
  return set_raw(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  return set_raw(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  return set_raw(name, CUDNN_TYPE_HANDLE, 1, &value);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, const std::string& text) {
  return set_raw(name, CUDNN_TYPE_CHAR, text.size(), text.data());
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, const Descriptor& value) {
  const cudnnBackendDescriptor_t handle = value.handle();
  return set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name,
                            const std::vector<Descriptor>& values) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const Descriptor& value : values) handles.push_back(value.handle());
  return set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles.size(), handles.data());
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, std::span<void* const> values) {
  return set_raw(name, CUDNN_TYPE_VOID_PTR, values.size(), values.data());
}

Descriptor& Descriptor::finalize() {
  check_cudnn(cudnnBackendFinalize(handle_.get()), "cudnnBackendFinalize");
  return *this;
}

std::int64_t Descriptor::get_raw(cudnnBackendAttributeName_t name,
                                 cudnnBackendAttributeType_t type,
                                 std::int64_t most,
                                 void* values) const {
  std::int64_t count = 0;
  const std::string call = "cudnnBackendGetAttribute " + std::to_string(name);
  check_cudnn(cudnnBackendGetAttribute(handle_.get(), name, type, most, &count, values),
              call.c_str());
  return count;
}

std::int64_t Descriptor::get_integer(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0;
  get_raw(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

std::vector<Descriptor> Descriptor::get_descriptors(cudnnBackendAttributeName_t name,
                                                    cudnnBackendDescriptorType_t type,
                                                    std::int64_t most) const {
  std::vector<Descriptor> descriptors;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < most; ++i) {
    handles.push_back(descriptors.emplace_back(type).handle());
  }
  const std::int64_t count = get_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, handles.data());
  while (std::cmp_greater(descriptors.size(), count)) descriptors.pop_back();
  return descriptors;
}

std::vector<Descriptor> Descriptor::get_all_descriptors(cudnnBackendAttributeName_t name,
                                                        cudnnBackendDescriptorType_t type) const {
  return get_descriptors(name, type, get_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr));
}

}  // namespace cnnplan::cudnn
