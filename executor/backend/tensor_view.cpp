// Computes strides and addresses in channels-last blocks.
#include "executor/backend/tensor_view.hpp"

#include <stdexcept>

namespace cnnplan {
namespace {

std::array<std::int64_t, dim_count> dense_strides(const Shape& shape) {
  std::array<std::int64_t, dim_count> strides{};
  std::int64_t stride = 1;
  for (Dim dim : {Dim::c, Dim::w, Dim::h, Dim::d, Dim::n}) {
    strides[static_cast<std::size_t>(dim)] = stride;
    stride *= shape[dim];
  }
  return strides;
}

}  // namespace

TensorView view_of(void* buffer, const Box& outer, const Box& inner, std::int64_t element_bytes) {
  if (!contains(outer, inner)) throw std::logic_error("view outside its buffer");
  TensorView view{.data = buffer, .box = inner, .strides = dense_strides(shape_of(outer))};
  if (is_empty(inner)) return view;
  std::int64_t offset = 0;
  for (Dim dim : all_dims) offset += (inner[dim].begin - outer[dim].begin) * view.stride(dim);
  view.data = static_cast<char*>(buffer) + offset * element_bytes;
  return view;
}

bool is_dense(const TensorView& view) {
  const Shape shape = view.shape();
  const auto expected = dense_strides(shape);
  for (Dim dim : all_dims) {
    if (shape[dim] > 1 && view.stride(dim) != expected[static_cast<std::size_t>(dim)]) return false;
  }
  return true;
}

}  // namespace cnnplan
