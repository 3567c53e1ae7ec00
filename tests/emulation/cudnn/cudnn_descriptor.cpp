// Makes, sets and reads descriptors of cuDNN.
#include "tests/emulation/cudnn/cudnn_descriptor.hpp"

#include <algorithm>

namespace cnnplan::emulation {
namespace {

constexpr const char* kind = "cuDNN descriptors";

bool is_emulated(cudnnBackendDescriptorType_t type) {
  const auto rules = all_rules();
  return std::any_of(
      rules.begin(), rules.end(), [&](const Rule& rule) { return rule.descriptor == type; });
}

const Rule& checked_rule(const Descriptor& descriptor,
                         cudnnBackendAttributeName_t attribute,
                         cudnnBackendAttributeType_t type) {
  const Rule& rule = rule_of(descriptor.type, attribute);
  require(accepts(rule, type),
          CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE,
          "attribute " + std::to_string(attribute) + " has type " + std::to_string(rule.type) +
              ", not " + std::to_string(type));
  return rule;
}

Value value_of(cudnnBackendAttributeType_t type, std::int64_t count, const void* elements) {
  Value value{.type = type, .count = count};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* handles = static_cast<const cudnnBackendDescriptor_t*>(elements);
    for (std::int64_t i = 0; i < count; ++i) {
      value.descriptors.push_back(descriptor_of(handles[i]));
      require(value.descriptors.back()->finalized,
              CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
              "an attribute that is not finalized");
    }
    return value;
  }
  const auto* bytes = static_cast<const std::byte*>(elements);
  value.bytes.assign(bytes, bytes + count * bytes_of(type));
  return value;
}

void read_descriptors(const Value& value, std::int64_t count, const void* elements) {
  const auto* handles = static_cast<const cudnnBackendDescriptor_t*>(elements);
  for (std::int64_t i = 0; i < count; ++i) {
    const DescriptorPtr target = descriptor_of(handles[i]);
    const Descriptor& source = *value.descriptors[static_cast<std::size_t>(i)];
    require(target->type == source.type,
            CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
            "a descriptor of another kind is expected");
    *target = source;
  }
}

}  // namespace

DescriptorPtr descriptor_of(cudnnBackendDescriptor_t handle) {
  const auto found = machine().library_objects.find(handle);
  require(found != machine().library_objects.end() && found->second.kind == kind,
          "not a descriptor");
  return std::static_pointer_cast<Descriptor>(found->second.object);
}

double Descriptor::real(cudnnBackendAttributeName_t attribute, double when_not_set) const {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return when_not_set;
  return found->second.type == CUDNN_TYPE_FLOAT ? static_cast<double>(scalar<float>(attribute))
                                                : scalar<double>(attribute);
}

void Descriptor::put(cudnnBackendAttributeName_t attribute,
                     std::vector<DescriptorPtr> descriptors) {
  const auto count = static_cast<std::int64_t>(descriptors.size());
  attributes[attribute] = {
      .type = CUDNN_TYPE_BACKEND_DESCRIPTOR, .count = count, .descriptors = std::move(descriptors)};
}

}  // namespace cnnplan::emulation

using namespace cnnplan::emulation;

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* handle) {
  return cudnn_call(__func__, [&] {
    require(handle != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for the descriptor");
    require(is_emulated(type), CUDNN_STATUS_NOT_SUPPORTED, "a descriptor that is not emulated");
    auto made = std::make_shared<Descriptor>();
    made->type = type;
    *handle = made.get();
    machine().library_objects[made.get()] = {.kind = kind, .object = made};
  });
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  return cudnn_call(__func__, [&] {
    descriptor_of(handle);
    machine().library_objects.erase(handle);
  });
}

cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t handle) {
  return cudnn_call(__func__, [&] { descriptor_of(handle); });
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  return cudnn_call(__func__, [&] { finalize(*descriptor_of(handle)); });
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t attribute,
                                       cudnnBackendAttributeType_t type,
                                       std::int64_t count,
                                       const void* elements) {
  return cudnn_call(__func__, [&] {
    const DescriptorPtr descriptor = descriptor_of(handle);
    const Rule& rule = checked_rule(*descriptor, attribute, type);
    require(!descriptor->finalized, "the descriptor is finalized already");
    require(rule.use != Rule::Use::computed, "the attribute can only be read");
    require(elements != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no elements");
    require(count >= 1 && count <= rule.max_count,
            "attribute " + std::to_string(attribute) + " cannot have " + std::to_string(count) +
                " elements");
    descriptor->attributes[attribute] = value_of(type, count, elements);
  });
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t attribute,
                                       cudnnBackendAttributeType_t type,
                                       std::int64_t requested,
                                       std::int64_t* count,
                                       void* elements) {
  return cudnn_call(__func__, [&] {
    const DescriptorPtr descriptor = descriptor_of(handle);
    checked_rule(*descriptor, attribute, type);
    require(descriptor->finalized,
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
            "the descriptor is not finalized");
    const auto found = descriptor->attributes.find(attribute);
    const Value value = found == descriptor->attributes.end() ? Value{.type = type} : found->second;
    require(
        value.type == type, CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "it was set as another type");
    if (count != nullptr) *count = value.count;
    const std::int64_t given = std::min(requested, value.count);
    require(requested >= 0, "a negative number of elements");
    if (given == 0) return;
    require(elements != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for the elements");
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return read_descriptors(value, given, elements);
    std::memcpy(elements, value.bytes.data(), static_cast<std::size_t>(given * bytes_of(type)));
  });
}
