// Reads slices from the parts without the network or the ranks that they are for.
#include "planner/run/checkpoint_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 20;  // of a piece

template <typename T>
std::vector<double> numbers_in(std::span<const std::byte> bytes) {
  std::vector<T> stored(bytes.size() / sizeof(T));
  std::memcpy(stored.data(), bytes.data(), stored.size() * sizeof(T));
  return {stored.begin(), stored.end()};
}

std::vector<double> numbers_in(ElementType element, std::span<const std::byte> bytes) {
  return element == ElementType::fp64 ? numbers_in<double>(bytes) : numbers_in<float>(bytes);
}

}  // namespace

void require_possible_values(std::span<const double> values,
                             const std::string& name,
                             const std::string& checkpoint_file) {
  const bool is_variance = name.ends_with("/variance");
  const auto found = std::find_if(values.begin(), values.end(), [is_variance](double value) {
    return !std::isfinite(value) || (is_variance && value < 0.0);
  });
  if (found == values.end()) return;
  throw InputError(
      {.file = checkpoint_file,
       .pointer = name,
       .value = "the value " + std::to_string(*found),
       .allowed = is_variance ? "finite numbers that are not negative" : "finite numbers"});
}

void check_values(const Checkpoint& checkpoint, const std::string& checkpoint_file) {
  const std::filesystem::path folder = std::filesystem::path(checkpoint_file).parent_path();
  const std::int64_t element_bytes = bytes_of(checkpoint.element);
  for (const StoredTensor& tensor : checkpoint.tensors) {
    for (const StoredSlice& slice : tensor.slices) {
      const std::string part = (folder / checkpoint.parts.at(slice.part).file).string();
      const std::int64_t elements = volume(slice.box);
      for (std::int64_t first = 0; first < elements; first += most_elements) {
        const std::int64_t count = std::min(most_elements, elements - first);
        const std::vector<std::byte> bytes =
            read_bytes(part, slice.offset_bytes + first * element_bytes, count * element_bytes);
        require_possible_values(
            numbers_in(checkpoint.element, bytes), tensor.name, checkpoint_file);
      }
    }
  }
}

}  // namespace cnnplan
