// Holds a cuDNN descriptor: attributes that were set, and, after finalizing, their meaning.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <cudnn.h>

#include "tests/emulation/cudnn/cudnn_call.hpp"
#include "tests/emulation/cudnn/cudnn_values.hpp"

namespace cnnplan::emulation {

struct Descriptor;
using DescriptorPtr = std::shared_ptr<Descriptor>;

// Holds the elements of one attribute: descriptors or bytes.
struct Value {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
  std::vector<DescriptorPtr> descriptors;
};

// Says what cuDNN accepts as an attribute of a descriptor.
struct Rule {
  cudnnBackendDescriptorType_t descriptor;
  cudnnBackendAttributeName_t attribute;
  cudnnBackendAttributeType_t type;
  std::int64_t max_count = 1;
  enum class Use { mandatory, optional, computed } use = Use::mandatory;
};
std::span<const Rule> all_rules();
// @throws CudnnError when the descriptor has no such attribute
const Rule& rule_of(cudnnBackendDescriptorType_t descriptor, cudnnBackendAttributeName_t attribute);
// Returns true when the elements of the attribute can be given with this type. Real numbers can be
// FLOAT and DOUBLE.
bool accepts(const Rule& rule, cudnnBackendAttributeType_t type);
std::int64_t bytes_of(cudnnBackendAttributeType_t type);

struct Descriptor {
  cudnnBackendDescriptorType_t type = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  bool finalized = false;
  std::map<cudnnBackendAttributeName_t, Value> attributes;
  Content content;

  // Returns an empty list when the attribute is not set.
  template <typename T>
  std::vector<T> list(cudnnBackendAttributeName_t attribute) const {
    const auto found = attributes.find(attribute);
    if (found == attributes.end()) return {};
    std::vector<T> elements(static_cast<std::size_t>(found->second.count));
    if (!elements.empty()) {
      std::memcpy(elements.data(), found->second.bytes.data(), found->second.bytes.size());
    }
    return elements;
  }
  template <typename T>
  T scalar(cudnnBackendAttributeName_t attribute, T when_not_set = {}) const {
    const std::vector<T> elements = list<T>(attribute);
    return elements.empty() ? when_not_set : elements[0];
  }
  // Returns the number, which was set as FLOAT or DOUBLE.
  double real(cudnnBackendAttributeName_t attribute, double when_not_set) const;
  // Returns the contents of the descriptors in this attribute.
  // @throws CudnnError for another kind
  template <typename T>
  std::vector<T> contents(cudnnBackendAttributeName_t attribute) const {
    std::vector<T> found;
    const auto value = attributes.find(attribute);
    if (value == attributes.end()) return found;
    for (const DescriptorPtr& descriptor : value->second.descriptors) {
      const T* described = std::get_if<T>(&descriptor->content);
      require(described != nullptr,
              CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
              "a descriptor of another kind is expected");
      found.push_back(*described);
    }
    return found;
  }

  void put(cudnnBackendAttributeName_t attribute, std::vector<DescriptorPtr> descriptors);
  template <typename T>
  void put(cudnnBackendAttributeName_t attribute, const std::vector<T>& elements) {
    const auto bytes = std::as_bytes(std::span(elements));
    attributes[attribute] = {.type = rule_of(type, attribute).type,
                             .count = static_cast<std::int64_t>(elements.size()),
                             .bytes = {bytes.begin(), bytes.end()}};
  }
};

// @throws CudnnError when there is no such descriptor
DescriptorPtr descriptor_of(cudnnBackendDescriptor_t handle);
// Checks the attributes and derives the content. @throws CudnnError
void finalize(Descriptor& descriptor);

}  // namespace cnnplan::emulation
