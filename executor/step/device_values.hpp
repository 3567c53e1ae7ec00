// Moves numbers between the host and the memory of a device, and between element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend/device.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the bytes of the values, each rounded to `element`.
std::vector<std::byte> packed(ElementType element, std::span<const double> values);
// Returns the values of numbers that lie in `bytes` as `element`.
std::vector<double> unpacked(ElementType element, std::span<const std::byte> bytes);

// These functions copy all of `bytes` to, or `size_bytes` from, `memory` of the device. They wait
// until all work of the device is done.
void upload(Device& device, const std::vector<std::byte>& bytes, void* memory);
std::vector<std::byte> download(Device& device, const void* memory, std::int64_t size_bytes);

}  // namespace cnnplan
