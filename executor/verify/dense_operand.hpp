// Walks the elements of operands of kernels, and copies them to dense arrays in double,
// channels-last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/tensor_view.hpp"

namespace cnnplan {

// Calls visit(element, place) for all elements of a view in host memory. The place counts them in
// the order (n, d, h, w, c).
template <typename T, typename Visit>
void for_each_element(const TensorView& view, const Visit& visit) {
  const Shape shape = view.shape();
  std::size_t place = 0;
  for (std::int64_t n = 0; n < shape[Dim::n]; ++n) {
    for (std::int64_t d = 0; d < shape[Dim::d]; ++d) {
      for (std::int64_t h = 0; h < shape[Dim::h]; ++h) {
        T* row = view.as<T>() + n * view.stride(Dim::n) + d * view.stride(Dim::d) +
                 h * view.stride(Dim::h);
        for (std::int64_t w = 0; w < shape[Dim::w]; ++w, row += view.stride(Dim::w)) {
          for (std::int64_t c = 0; c < shape[Dim::c]; ++c) visit(row[c], place++);
        }
      }
    }
  }
}

// Returns the elements of a view in host memory, in the order (n, d, h, w, c).
template <typename T>
std::vector<double> dense_values(const TensorView& view) {
  std::vector<double> values(volume(view.box));
  for_each_element<const T>(view, [&](const T& element, std::size_t place) {
    values[place] = static_cast<double>(element);
  });
  return values;
}

// Returns a view of dense values as the block `box`.
// @pre `values` has as many elements as `box`, or nothing reads the view
inline TensorView dense_view(std::vector<double>& values, const Box& box) {
  return view_of(values.data(), box, box, sizeof(double));
}

}  // namespace cnnplan
