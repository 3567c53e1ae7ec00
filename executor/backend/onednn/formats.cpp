// Translates shapes and windows for oneDNN.
#include "executor/backend/onednn/formats.hpp"

#include "planner/tensor/element.hpp"

namespace cnnplan::onednn {

bool is_three_dimensional(const KernelSpec& spec) {
  const WindowDim& depth = spec.window.dims[0];
  return spec.in[Dim::d] != 1 || spec.out[Dim::d] != 1 || depth != WindowDim{};
}

dnnl::memory::data_type activation_type(Precision precision) {
  return activation_element(precision) == ElementType::bf16 ? dnnl::memory::data_type::bf16
                                                            : dnnl::memory::data_type::f32;
}

dnnl::memory::desc activation_format(const KernelSpec& spec, const Shape& shape) {
  dnnl::memory::dims dims{shape[Dim::n], shape[Dim::c]};
  const bool deep = is_three_dimensional(spec);
  if (deep) dims.push_back(shape[Dim::d]);
  dims.insert(dims.end(), {shape[Dim::h], shape[Dim::w]});
  using Tag = dnnl::memory::format_tag;
  return {dims, activation_type(spec.precision), deep ? Tag::ndhwc : Tag::nhwc};
}

WindowLists window_lists(const KernelSpec& spec) {
  WindowLists lists;
  for (std::size_t i = is_three_dimensional(spec) ? 0 : 1; i < spec.window.dims.size(); ++i) {
    const WindowDim& dim = spec.window.dims[i];
    const Dim axis = spatial_dims[i];
    const std::int64_t needed = (spec.out[axis] - 1) * dim.stride + dim.reach();
    lists.kernel.push_back(dim.kernel);
    lists.stride.push_back(dim.stride);
    lists.dilation.push_back(dim.dilation - 1);
    lists.padding_begin.push_back(dim.padding_begin);
    lists.padding_end.push_back(needed - spec.in[axis] - dim.padding_begin);
  }
  return lists;
}

}  // namespace cnnplan::onednn
