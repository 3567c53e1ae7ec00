// Copies through vectors of bytes on the host.
#include "executor/step/device_values.hpp"

#include <algorithm>
#include <iterator>

#include "executor/backend/element.hpp"

namespace cnnplan {

std::vector<std::byte> packed(ElementType element, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * bytes_of(element));
  with_type_of(element, [&]<typename T>(T) {
    std::transform(values.begin(), values.end(), reinterpret_cast<T*>(bytes.data()), stored<T>);
  });
  return bytes;
}

std::vector<double> unpacked(ElementType element, std::span<const std::byte> bytes) {
  return with_type_of(element, [&]<typename T>(T) {
    const auto* values = reinterpret_cast<const T*>(bytes.data());
    std::vector<double> doubles;
    doubles.reserve(bytes.size() / sizeof(T));
    std::transform(
        values, values + bytes.size() / sizeof(T), std::back_inserter(doubles), [](T value) {
          return static_cast<double>(value);
        });
    return doubles;
  });
}

void upload(Device& device, const std::vector<std::byte>& bytes, void* memory) {
  device.copy_to_device(memory, bytes.data(), std::ssize(bytes));
  device.synchronize();
}

std::vector<std::byte> download(Device& device, const void* memory, std::int64_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  device.copy_to_host(bytes.data(), memory, size_bytes);
  device.synchronize();
  return bytes;
}

}  // namespace cnnplan
