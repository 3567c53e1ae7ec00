// Converts between ranks and positions, which are numbers of mixed radix.
#include "planner/tensor/rank_group.hpp"

#include <algorithm>

namespace cnnplan {

RankGroup::RankGroup(int first, int count, int stride) : first_(first), size_(1) {
  add_inner({.count = count, .stride = stride});
}

RankGroup::RankGroup(const Mesh& mesh, int rank, const std::vector<Axis>& fixed)
    : first_(rank), size_(1) {
  for (const MeshAxis& axis : mesh.axes()) {
    if (std::find(fixed.begin(), fixed.end(), axis.axis) != fixed.end()) continue;
    const int stride = mesh.stride(axis.axis);
    first_ -= mesh.coordinate(rank, axis.axis) * stride;
    add_inner({.count = axis.size, .stride = stride});
  }
}

void RankGroup::add_inner(const Steps& steps) {
  if (steps.count == 1) return;
  size_ *= steps.count;
  const bool continues = !steps_.empty() && steps_.back().stride == steps.count * steps.stride;
  if (continues) {
    steps_.back() = {.count = steps_.back().count * steps.count, .stride = steps.stride};
  } else {
    steps_.push_back(steps);
  }
}

int RankGroup::operator[](int position) const {
  int rank = first_;
  for (auto steps = steps_.rbegin(); steps != steps_.rend(); ++steps) {
    rank += position % steps->count * steps->stride;
    position /= steps->count;
  }
  return rank;
}

int RankGroup::position_of(int rank) const {
  int rest = rank - first_;
  int position = 0;
  for (const Steps& steps : steps_) {
    position = position * steps.count + rest / steps.stride;
    rest %= steps.stride;
  }
  return position;
}

RankGroup RankGroup::around(int rank) const {
  RankGroup group = *this;
  group.first_ = rank;
  for (const Steps& steps : steps_) {
    const int apart = rank / steps.stride - first_ / steps.stride;
    group.first_ -= (apart % steps.count + steps.count) % steps.count * steps.stride;
  }
  return group;
}

std::vector<int> RankGroup::ranks() const {
  std::vector<int> all;
  all.reserve(size_);
  for (int i = 0; i < size_; ++i) all.push_back((*this)[i]);
  return all;
}

}  // namespace cnnplan
