// Finds the input of each tap once for a block of positions, and copies or adds channel by channel.
#include "executor/verify/window_rows.hpp"

#include <algorithm>

#include "executor/backend/reference/tensor.hpp"
#include "executor/verify/checked_places.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t most_bytes = 2 << 20;  // as much as a level-2 cache of servers holds
constexpr std::int64_t padding = -1;

Shape one_channel(Shape shape) {
  shape[Dim::c] = 1;
  return shape;
}

}  // namespace

WindowRows::WindowRows(const KernelSpec& spec)
    : spec_(spec),
      channels_(spec.in[Dim::c] / spec.groups),
      taps_(reference::kernel_volume(spec.window)) {}

std::int64_t WindowRows::positions() const {
  return volume(one_channel(spec_.out));
}

std::int64_t WindowRows::most_selected() const {
  const std::int64_t elements = length() + taps_ + spec_.in[Dim::c] + spec_.out[Dim::c];
  const auto bytes = elements * static_cast<std::int64_t>(sizeof(double));
  return std::clamp<std::int64_t>(most_bytes / bytes, 1, std::max<std::int64_t>(positions(), 1));
}

std::int64_t WindowRows::bytes() const {
  return most_selected() * (length() + taps_) * static_cast<std::int64_t>(sizeof(double));
}

void WindowRows::select(std::int64_t first, std::int64_t count) {
  first_ = first;
  count_ = count;
  places_.assign(count * taps_, padding);
  const Shape out = one_channel(spec_.out);
  for (std::int64_t i = 0; i < count; ++i) {
    reference::for_each_tap(spec_.window,
                            spec_.in,
                            index_at(out, first + i),
                            [&](std::int64_t tap, const reference::Index& input) {
                              places_[i * taps_ + tap] =
                                  static_cast<std::int64_t>(dense_place(spec_.in, input));
                            });
  }
}

void WindowRows::gather(std::int64_t group, const double* x, double* rows) const {
  for (std::int64_t i = 0; i < count_ * taps_; ++i) {
    double* row = rows + i / taps_ * length() + i % taps_;
    if (places_[i] == padding) {
      for (std::int64_t c = 0; c < channels_; ++c) row[c * taps_] = 0.0;
    } else {
      const double* input = x + places_[i] + group * channels_;
      for (std::int64_t c = 0; c < channels_; ++c) row[c * taps_] = input[c];
    }
  }
}

void WindowRows::scatter(std::int64_t group, const double* rows, double* dx) const {
  for (std::int64_t i = 0; i < count_ * taps_; ++i) {
    if (places_[i] == padding) continue;
    const double* row = rows + i / taps_ * length() + i % taps_;
    double* input = dx + places_[i] + group * channels_;
    for (std::int64_t c = 0; c < channels_; ++c) input[c] += row[c * taps_];
  }
}

}  // namespace cnnplan
