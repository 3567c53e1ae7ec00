// Gives groups their lanes.
#include "planner/schedule/lower/multigrid/group_lanes.hpp"

#include <algorithm>

namespace cnnplan {

GroupLanes::GroupLanes(const ChainGeometry& geometry, OperationWriter& writer, int level)
    : geometry_(geometry), writer_(writer), level_(level) {
  int own = 0;
  for (std::size_t group = 0; group < geometry.hierarchy().groups(level).size(); ++group) {
    if (is_here(group) && own++ == 0) first_ = group;
  }
  count_ = std::min(geometry.setting().concurrency, std::max(1, own));
  if (count_ > 1) writer_.begin_lanes(count_);
}

GroupLanes::~GroupLanes() {
  if (count_ > 1) writer_.end_lanes();
}

void GroupLanes::take(std::size_t group) {
  if (count_ == 1 || !is_here(group)) return;
  const int number = static_cast<int>(group - first_);
  if (wave_ >= 0 && number / count_ != wave_) writer_.begin_wave();
  wave_ = number / count_;
  writer_.take_lane(number % count_);
}

bool GroupLanes::is_here(std::size_t group) const {
  const LayerRange& steps = geometry_.hierarchy().groups(level_)[group];
  return geometry_.is_here(geometry_.layers_of(level_, steps.first).first);
}

}  // namespace cnnplan
