// Moves numbers between the host and the memory of a device, and between element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend/device.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the values as an array of elements of this type, each rounded.
std::vector<std::byte> packed(ElementType element, std::span<const double> values);
// Returns the numbers of an array of elements of this type.
std::vector<double> unpacked(ElementType element, std::span<const std::byte> bytes);

// Both functions copy between the host and `memory` of the device: all of `bytes` to it, or
// `size_bytes` from it. They wait until all work of the device is done.
void upload(Device& device, const std::vector<std::byte>& bytes, void* memory);
std::vector<std::byte> download(Device& device, const void* memory, std::int64_t size_bytes);

}  // namespace cnnplan
