// Joins groups of few channels into spans, so that the products of a span are wide enough for
// vectors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Divides the groups of a convolution into spans of `together` groups. A span is computed as one
// dense convolution, in which the weights from a group to another one are zero.
struct GroupSpans {
  explicit GroupSpans(const KernelSpec& convolution)
      : groups(convolution.groups),
        channels(convolution.in[Dim::c] / groups),
        filters(convolution.out[Dim::c] / groups),
        together(std::clamp<std::int64_t>(wide / std::max(channels, filters), 1, groups)) {}

  // Returns the number of spans.
  std::int64_t count() const { return (groups + together - 1) / together; }
  // Return the groups, the channels in and the filters of a span. The last span may have fewer
  // groups. @pre 0 <= span < count()
  Range groups_of(std::int64_t span) const {
    return {span * together, std::min((span + 1) * together, groups)};
  }
  Range channels_of(std::int64_t span) const {
    return {groups_of(span).begin * channels, groups_of(span).end * channels};
  }
  Range filters_of(std::int64_t span) const {
    return {groups_of(span).begin * filters, groups_of(span).end * filters};
  }
  // Return the numbers of channels and of filters of a whole span.
  std::int64_t most_channels() const { return together * channels; }
  std::int64_t most_filters() const { return together * filters; }

  static constexpr std::int64_t wide = 16;  // floats of a 512-bit vector

  std::int64_t groups;
  std::int64_t channels;  // of a group
  std::int64_t filters;   // of a group
  std::int64_t together;  // groups of each span except perhaps the last
};

}  // namespace cnnplan::onednn
