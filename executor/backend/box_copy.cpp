// Merges dims that are contiguous in both buffers into one run, and loops over the others.
#include "executor/backend/box_copy.hpp"

#include <cstring>
#include <stdexcept>

#include "executor/backend/element.hpp"
#include "executor/backend/sum_kernels.hpp"

namespace cnnplan {
namespace {

constexpr std::array<Dim, 4> outer_dims{Dim::n, Dim::d, Dim::h, Dim::w};

// Calls run(destination offset, source offset), in elements.
template <typename Run>
void for_each_run(const BoxCopy& copy, Run run) {
  const auto& counts = copy.counts;
  const auto& to = copy.destination_strides;
  const auto& from = copy.source_strides;
  for (std::int64_t n = 0; n < counts[0]; ++n) {
    for (std::int64_t d = 0; d < counts[1]; ++d) {
      for (std::int64_t h = 0; h < counts[2]; ++h) {
        for (std::int64_t w = 0; w < counts[3]; ++w) {
          run(n * to[0] + d * to[1] + h * to[2] + w * to[3],
              n * from[0] + d * from[1] + h * from[2] + w * from[3]);
        }
      }
    }
  }
}

template <typename T>
void add_in_float(T* own, const T* received, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    own[i] = T(own[i] + received[i]);
  }
}

template <typename T>
void add_runs(const BoxCopy& copy) {
  T* destination = copy.destination_as<T>();
  const T* source = copy.source_as<T>();
  for_each_run(copy, [&](std::int64_t to, std::int64_t from) {
    if constexpr (sizeof(T) == 2) {
      add_in_float(destination + to, source + from, copy.run_elements);
    } else {
      add(destination + to, source + from, copy.run_elements);
    }
  });
}

}  // namespace

ElementType moved_as(BufferElement element) {
  return element == BufferElement::int32 ? ElementType::fp32 : element_type(element);
}

BoxCopy make_box_copy(const TensorView& destination,
                      const TensorView& source,
                      ElementType element) {
  if (destination.box != source.box) throw std::logic_error("copy between different boxes");
  const Shape shape = source.shape();
  BoxCopy copy{.destination = destination.data, .source = source.data, .element = element};
  copy.run_elements = is_empty(source.box) ? 0 : shape[Dim::c];
  bool merging = true;
  for (std::size_t i = outer_dims.size(); i-- > 0;) {
    const Dim dim = outer_dims[i];
    const bool follows =
        destination.stride(dim) == copy.run_elements && source.stride(dim) == copy.run_elements;
    merging = merging && (follows || shape[dim] == 1);
    if (merging) {
      copy.run_elements *= shape[dim];
      continue;
    }
    copy.counts[i] = shape[dim];
    copy.destination_strides[i] = destination.stride(dim);
    copy.source_strides[i] = source.stride(dim);
  }
  return copy;
}

void copy_box(const BoxCopy& copy) {
  if (copy.destination == copy.source || copy.run_elements == 0) return;
  const std::int64_t element_bytes = bytes_of(copy.element);
  auto* destination = copy.destination_as<std::byte>();
  const auto* source = copy.source_as<std::byte>();
  const std::int64_t run_bytes = copy.run_elements * element_bytes;
  for_each_run(copy, [&](std::int64_t to, std::int64_t from) {
    std::byte* const run = destination + to * element_bytes;
    std::memcpy(run, source + from * element_bytes, run_bytes);
    if (copy.zeros > 0) std::memset(run + run_bytes, 0, copy.zeros * element_bytes);
  });
}

void add_box(const BoxCopy& copy) {
  if (copy.run_elements == 0) return;
  with_type_of(copy.element, [&copy]<typename T>(T) { add_runs<T>(copy); });
}

}  // namespace cnnplan
