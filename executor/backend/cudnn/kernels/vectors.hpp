// Accesses several channels at once: 16 bytes of them, or half of that as long as it does not
// divide their number.
#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>

#include "executor/backend/cudnn/kernels/access_observer.hpp"
#include "executor/backend/element.hpp"
#include "executor/backend/host_device.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan::cudnn {

// Holds `width` consecutive channels, as memory does.
template <typename T, int width>
struct alignas(sizeof(T) * width) Vector {
  T values[width];
};

// Reads a vector as it lies in memory. @pre `memory` is aligned to the vector
template <int width, typename T>
CNNPLAN_HOST_DEVICE Vector<std::remove_const_t<T>, width> fetch(T* memory) {
  observe_read(memory, sizeof(T) * width);
  return *reinterpret_cast<const Vector<std::remove_const_t<T>, width>*>(memory);
}

// Writes a vector as it lies in memory. @pre `memory` is aligned to the vector
template <int width, typename T>
CNNPLAN_HOST_DEVICE void put(T* memory, const Vector<T, width>& packed) {
  observe_write(memory, sizeof(T) * width);
  *reinterpret_cast<Vector<T, width>*>(memory) = packed;
}

// Converts the numbers to the type in which they are computed.
template <typename T, int width>
CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> widen(const Vector<T, width>& packed) {
  Vector<Computed<T>, width> wide;
  for (int i = 0; i < width; ++i) wide.values[i] = packed.values[i];
  return wide;
}

// Reads a vector and converts it as widen() does. @pre `memory` is aligned to the vector
template <int width, typename T>
CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> load(const T* memory) {
  return widen(fetch<width>(memory));
}

// Rounds the numbers to the type that memory has.
template <typename T, int width>
CNNPLAN_HOST_DEVICE Vector<T, width> narrow(const Vector<Computed<T>, width>& wide) {
  Vector<T, width> packed;
  for (int i = 0; i < width; ++i) packed.values[i] = static_cast<T>(wide.values[i]);
  return packed;
}

// Rounds a vector to numbers of type T and writes it. @pre `memory` is aligned to the vector
template <int width, typename T>
CNNPLAN_HOST_DEVICE void store(T* memory, const Vector<Computed<T>, width>& wide) {
  put<width>(memory, narrow<T>(wide));
}

// A thread of a GPU reads or writes at most this number of bytes at once.
inline constexpr int vector_bytes = 16;
// The number of channels of type T that such an access takes.
template <typename T>
inline constexpr int full_width = vector_bytes / sizeof(T);

// Passes a type and a number of channels to a generic lambda.
template <typename T, int width>
struct Kind {
  using Type = T;
  static constexpr int channels = width;
};

// Calls body(Kind<T, width>{}) with the width that accesses may have: the first of full_width<T>, a
// half of it, a quarter of it and so on that divides `channels`. Here and in with_kind(),
// `channels` is the result of vector_channels(), or 1, or the channels of dense blocks that begin
// at a multiple of 16 bytes.
template <typename T, int widest = full_width<T>, typename Body>
void with_width(std::int64_t channels, const Body& body) {
  if constexpr (widest == 1) {
    body(Kind<T, 1>{});
  } else if (channels % widest == 0) {
    body(Kind<T, widest>{});
  } else {
    with_width<T, widest / 2>(channels, body);
  }
}

// Returns whether vectors of `width` elements from `memory` on are aligned. A null pointer is.
template <int width, typename T>
bool is_aligned_for(const T* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % sizeof(Vector<T, width>) == 0;
}

// Returns the largest divisor of `channels` that also divides the strides of all operands with this
// many channels. A vector whose width divides the result is aligned at every position. Returns 1
// where an operand does not begin at a multiple of 16 bytes.
inline std::int64_t vector_channels(std::int64_t channels, Operands operands) {
  std::int64_t common = channels;
  for (const TensorView& view : operands) {
    if (is_empty(view.box) || view.box[Dim::c].size() != channels) continue;
    for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w}) {
      if (view.box[dim].size() > 1) common = std::gcd(common, view.stride(dim));
    }
    if (reinterpret_cast<std::uintptr_t>(view.data) % vector_bytes != 0) return 1;
  }
  return common;
}

// Calls body(Kind<T, width>{}) with the type that activations of `precision` have in memory, and
// with the width that with_width() finds.
template <typename Body>
void with_kind(Precision precision, std::int64_t channels, const Body& body) {
  with_type_of(activation_element(precision),
               [&]<typename T>(T) { with_width<T>(channels, body); });
}

}  // namespace cnnplan::cudnn
