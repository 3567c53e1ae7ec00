// Looks a canonical kernel up, else estimates it from neighbours, else from rates.
#include "planner/cost/kernels.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace cnnplan {
namespace {

KernelTime time_of(const KernelTiming& timing) {
  return {.seconds = timing.median_s,
          .low_s = std::min(timing.min_s, timing.median_s),
          .high_s = std::max(timing.median_s, timing.mean_s) + timing.stddev_s,
          .estimated = false,
          .workspace_bytes = timing.workspace_bytes,
          .rank_spread_s = timing.rank_spread_s};
}

bool is_empty(const Shape& shape) {
  return std::any_of(shape.extents.begin(), shape.extents.end(), [](auto e) { return e <= 0; });
}

class Hasher {
 public:
  void add(std::int64_t value) {
    // This is the multiplier of the 64-bit FNV-1a hash. The shift brings high bits down again.
    constexpr std::uint64_t prime = 1099511628211U;
    state_ = (state_ ^ static_cast<std::uint64_t>(value)) * prime;
    state_ ^= state_ >> 29;
  }
  void add(std::span<const std::int64_t> values) {
    for (std::int64_t value : values) add(value);
  }
  std::size_t value() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

}  // namespace

std::size_t KernelCosts::Hash::operator()(const KernelSpec& spec) const {
  Hasher hasher;
  hasher.add(static_cast<std::int64_t>(spec.kind) * 64 + static_cast<std::int64_t>(spec.phase) * 4 +
             static_cast<std::int64_t>(spec.algorithm));
  hasher.add(static_cast<std::int64_t>(spec.precision));
  hasher.add(spec.in.extents);
  hasher.add(spec.out.extents);
  hasher.add(spec.groups);
  hasher.add(spec.relu ? 1 : 0);
  hasher.add(spec.concurrency);
  for (const WindowDim& dim : spec.window.dims) {
    const std::array numbers{dim.kernel, dim.stride, dim.padding_begin, dim.padding_end};
    hasher.add(numbers);
  }
  return hasher.value();
}

KernelCosts::KernelCosts(const Profile& profile, Rates rates)
    : rates_(std::move(rates)),
      shared_workspace_(profile.fingerprint.shared_workspace),
      is_discrete_(profile.fingerprint.discrete),
      step_overhead_s_(profile.step_overhead_s) {
  for (const auto& [spec, timing] : profile.kernels) {
    const KernelSpec key = canonical(spec);
    implementations_.insert_or_assign(key, timing.implementation);
    measured_.insert_or_assign(key, time_of(timing));
    concurrencies_.insert(key.concurrency);
    if (!can_estimate_others(key)) continue;
    neighbours_[family_of(key)].add(
        key, neighbour_work(key), timing.median_s, timing.workspace_bytes);
  }
}

std::string KernelCosts::implementation(const KernelSpec& spec) const {
  for (const KernelSpec& key : {canonical(alone(spec)), canonical(spec)}) {
    const auto found = implementations_.find(key);
    if (found != implementations_.end()) return found->second;
  }
  return "";
}

KernelEstimate KernelCosts::from_rates(const KernelSpec& spec) const {
  return std::visit([&spec](const auto& rates) { return rate_estimate(rates, spec); }, rates_);
}

double KernelCosts::neighbour_work(const KernelSpec& spec) const {
  return std::holds_alternative<KernelRates>(rates_) ? from_rates(spec).seconds : work_of(spec);
}

const KernelNeighbours* KernelCosts::neighbours_of(const KernelSpec& spec) const {
  const auto family = neighbours_.find(family_of(spec));
  return family == neighbours_.end() || family->second.empty() ? nullptr : &family->second;
}

KernelEstimate KernelCosts::in_turns(const KernelSpec& spec) const {
  const KernelTime time = lookup(alone(spec));
  return {.seconds = spec.concurrency * time.seconds,
          .low_s = time.low_s,
          .high_s = spec.concurrency * time.high_s,
          .workspace_bytes = time.workspace_bytes};
}

KernelEstimate KernelCosts::estimate(const KernelSpec& spec) const {
  if (spec.concurrency > 1) return in_turns(spec);
  const KernelNeighbours* neighbours = neighbours_of(spec);
  return neighbours == nullptr ? from_rates(spec)
                               : neighbours->estimate(spec, neighbour_work(spec));
}

KernelFormula KernelCosts::formula(const KernelSpec& spec) const {
  const KernelSpec key = canonical(spec);
  KernelFormula formula{.time = lookup(spec)};
  if (!formula.time.estimated) return formula;
  if (key.concurrency > 1) {
    formula.source = KernelSource::turns;
    return formula;
  }
  if (neighbours_of(key) == nullptr) {
    formula.source = KernelSource::rates;
    formula.parts = std::visit([&](const auto& rates) { return rate_parts(rates, key); }, rates_);
    return formula;
  }
  const bool by_rates = std::holds_alternative<KernelRates>(rates_);
  formula.source = KernelSource::neighbours;
  formula.work = neighbour_work(key);
  formula.unit = by_rates ? "s" : key.kind == KernelKind::convolution ? "flop" : "B";
  return formula;
}

KernelTime KernelCosts::lookup(const KernelSpec& spec) const {
  if (is_empty(spec.out)) return {};
  const KernelSpec key = canonical(spec);
  const auto measured = measured_.find(key);
  if (measured != measured_.end()) return measured->second;
  {
    const std::scoped_lock lock(estimating_);
    const auto known = estimated_.find(key);
    if (known != estimated_.end()) return known->second;
  }
  const KernelEstimate made = estimate(key);
  const KernelTime time{.seconds = made.seconds,
                        .low_s = made.low_s,
                        .high_s = made.high_s,
                        .estimated = true,
                        .workspace_bytes = made.workspace_bytes};
  const std::scoped_lock lock(estimating_);
  estimated_.emplace(key, time);
  return time;
}

}  // namespace cnnplan
