// Owns a descriptor of cuDNN's graph interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cudnn.h>

namespace cnnplan::cudnn {

// Attributes are set, then the descriptor is finalized, then it can be used or queried. Every
// function throws BackendError with the words of the library where the library refuses a call.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);

  // These functions set one attribute, and return this descriptor.
  Descriptor& set(cudnnBackendAttributeName_t name, std::int64_t value);
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
  Descriptor& set(cudnnBackendAttributeName_t name, double value);
  Descriptor& set(cudnnBackendAttributeName_t name, float value);
  Descriptor& set(cudnnBackendAttributeName_t name, bool value);
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  Descriptor& set(cudnnBackendAttributeName_t name, const std::string& text);
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value);
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Descriptor>& values);
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<void* const> values);
  // Sets an enumerator of the type `type`.
  template <typename Enumerator>
  Descriptor& set_enumerator(cudnnBackendAttributeName_t name,
                             cudnnBackendAttributeType_t type,
                             Enumerator value) {
    return set_raw(name, type, 1, &value);
  }
  Descriptor& finalize();

  // These functions return the value of an attribute. @pre finalize() was called
  std::int64_t get_integer(cudnnBackendAttributeName_t name) const;
  template <typename Enumerator>
  Enumerator get_enumerator(cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type) const {
    Enumerator value{};
    get_raw(name, type, 1, &value);
    return value;
  }
  // Returns the enumerators of an attribute that holds a list, at most `most`.
  template <typename Enumerator>
  std::vector<Enumerator> get_enumerators(cudnnBackendAttributeName_t name,
                                          cudnnBackendAttributeType_t type,
                                          std::int64_t most) const {
    std::vector<Enumerator> values(most);
    values.resize(std::min(get_raw(name, type, most, values.data()), most));
    return values;
  }
  // Returns the descriptors of `type` that the attribute `name` has, at most `most`.
  std::vector<Descriptor> get_descriptors(cudnnBackendAttributeName_t name,
                                          cudnnBackendDescriptorType_t type,
                                          std::int64_t most) const;
  // Returns all of them, where the library says how many there are. It does so for lists of
  // engines, but not for choices of knobs.
  std::vector<Descriptor> get_all_descriptors(cudnnBackendAttributeName_t name,
                                              cudnnBackendDescriptorType_t type) const;

  cudnnBackendDescriptor_t handle() const { return handle_.get(); }

 private:
  struct Deleter {
    void operator()(cudnnBackendDescriptor_t handle) const {
      cudnnBackendDestroyDescriptor(handle);
    }
  };
  Descriptor& set_raw(cudnnBackendAttributeName_t name,
                      cudnnBackendAttributeType_t type,
                      std::int64_t count,
                      const void* values);
  // Returns how many values the attribute has. The library gives at most `most` of them.
  std::int64_t get_raw(cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type,
                       std::int64_t most,
                       void* values) const;

  std::unique_ptr<std::remove_pointer_t<cudnnBackendDescriptor_t>, Deleter> handle_;
};

}  // namespace cnnplan::cudnn
