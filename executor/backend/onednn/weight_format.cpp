// Chooses the stored format of weights.
#include "executor/backend/onednn/weight_format.hpp"

#include <algorithm>

#include "executor/backend/onednn/formats.hpp"

namespace cnnplan::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

// Wider windows belong to fully connected layers, or to few, small convolutions.
constexpr std::int64_t largest_blocked_kernel = 3;

Tag tag_of(WeightFormat format, bool deep) {
  switch (format) {
    case WeightFormat::rows:
      return deep ? Tag::dhwio : Tag::hwio;
    case WeightFormat::blocked:
      return deep ? Tag::OIdhw16i16o : Tag::OIhw16i16o;
    case WeightFormat::depthwise:
      return deep ? Tag::Goidhw16g : Tag::Goihw16g;
    case WeightFormat::grouped_blocked:
      return deep ? Tag::gOIdhw16i16o : Tag::gOIhw16i16o;
    case WeightFormat::grouped_rows:
      return deep ? Tag::dhwigo : Tag::hwigo;
  }
  return Tag::undef;
}

// Returns the extents of some filters. Of a grouped convolution, these are whole groups.
dnnl::memory::dims weight_dims(const KernelSpec& spec, std::int64_t filters) {
  const std::int64_t of_group = spec.out[Dim::c] / spec.groups;
  dnnl::memory::dims dims;
  if (spec.groups > 1) dims.push_back(filters / of_group);
  dims.push_back(spec.groups > 1 ? of_group : filters);
  dims.push_back(spec.in[Dim::c] / spec.groups);
  const WindowLists window = window_lists(spec);
  dims.insert(dims.end(), window.kernel.begin(), window.kernel.end());
  return dims;
}

dnnl::memory::desc weight(const KernelSpec& spec, Tag tag, Type type) {
  return {weight_dims(spec, spec.out[Dim::c]), type, tag};
}

}  // namespace

WeightFormat weight_format(const KernelSpec& convolution) {
  const std::int64_t channels = convolution.in[Dim::c] / convolution.groups;
  const std::int64_t filters = convolution.out[Dim::c] / convolution.groups;
  if (convolution.groups > 1) {
    if (channels == 1 && filters == 1) return WeightFormat::depthwise;
    const bool fills_blocks = channels % weight_block == 0 && filters % weight_block == 0;
    return fills_blocks ? WeightFormat::grouped_blocked : WeightFormat::grouped_rows;
  }
  std::int64_t largest = 1;
  for (const WindowDim& dim : convolution.window.dims) largest = std::max(largest, dim.kernel);
  return largest == 1 || largest > largest_blocked_kernel ? WeightFormat::rows
                                                          : WeightFormat::blocked;
}

dnnl::memory::desc stored_weight(const KernelSpec& convolution, Type type) {
  return weight(
      convolution, tag_of(weight_format(convolution), is_three_dimensional(convolution)), type);
}

dnnl::memory::desc any_weight(const KernelSpec& convolution, Type type) {
  return weight(convolution, Tag::any, type);
}

std::int64_t stored_filter_block(const KernelSpec& convolution) {
  switch (weight_format(convolution)) {
    case WeightFormat::rows:
      return 1;
    case WeightFormat::blocked:
    case WeightFormat::depthwise:
      return weight_block;
    case WeightFormat::grouped_blocked:
    case WeightFormat::grouped_rows:
      break;
  }
  return convolution.out[Dim::c] / convolution.groups;
}

dnnl::memory::desc stored_filters(const KernelSpec& convolution, Range filters) {
  const std::int64_t of_group = convolution.out[Dim::c] / convolution.groups;
  const dnnl::memory::dims dims = weight_dims(convolution, filters.size());
  dnnl::memory::dims offsets(dims.size(), 0);
  offsets.front() = convolution.groups > 1 ? filters.begin / of_group : filters.begin;
  return stored_weight(convolution).submemory_desc(dims, offsets);
}

dnnl::memory::desc plain_filters(const KernelSpec& convolution, Range filters) {
  const bool deep = is_three_dimensional(convolution);
  const Tag grouped = deep ? Tag::goidhw : Tag::goihw;
  const Tag alone = deep ? Tag::oidhw : Tag::oihw;
  return {weight_dims(convolution, filters.size()),
          Type::f32,
          convolution.groups > 1 ? grouped : alone};
}

}  // namespace cnnplan::onednn
