// Describes each format by its steps.
#include "executor/backend/onednn/direct/stored_places.hpp"

#include "executor/backend/onednn/weight_format.hpp"

namespace cnnplan::onednn {
namespace {

std::int64_t blocks_of(std::int64_t channels) {
  return (channels + weight_block - 1) / weight_block;
}

}  // namespace

StoredPlaces::StoredPlaces(const KernelSpec& convolution) {
  const std::int64_t channels = convolution.in[Dim::c] / convolution.groups;
  const std::int64_t filters = convolution.out[Dim::c] / convolution.groups;
  const std::int64_t taps = weight_volume(convolution) / (convolution.out[Dim::c] * channels);
  switch (weight_format(convolution)) {
    case WeightFormat::rows:
    case WeightFormat::grouped_rows:
      matrix_step_ = convolution.out[Dim::c];
      per_group_ = filters;
      per_group_block_ = weight_block * per_group_;
      per_channel_ = matrix_step_;
      per_channel_block_ = weight_block * per_channel_;
      per_filter_block_ = weight_block;
      per_tap_ = channels * matrix_step_;
      break;
    case WeightFormat::blocked:
    case WeightFormat::grouped_blocked:
      per_tap_ = weight_block * weight_block;
      per_channel_ = weight_block;
      per_channel_block_ = taps * per_tap_;
      per_filter_block_ = blocks_of(channels) * per_channel_block_;
      per_group_ = blocks_of(filters) * per_filter_block_;
      per_group_block_ = weight_block * per_group_;
      break;
    case WeightFormat::depthwise:
      per_tap_ = weight_block;
      per_group_ = 1;
      per_group_block_ = taps * per_tap_;
      break;
  }
}

std::int64_t StoredPlaces::row(std::int64_t group, std::int64_t channel, std::int64_t tap) const {
  return group / weight_block * per_group_block_ + group % weight_block * per_group_ +
         channel / weight_block * per_channel_block_ + channel % weight_block * per_channel_ +
         tap * per_tap_;
}

std::int64_t StoredPlaces::filter(std::int64_t filter) const {
  return filter / weight_block * per_filter_block_ + filter % weight_block;
}

}  // namespace cnnplan::onednn
