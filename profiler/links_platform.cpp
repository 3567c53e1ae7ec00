// From measurements to the numbers of a platform.
#include <algorithm>
#include <limits>

#include "planner/cost/collective_formulas.hpp"
#include "profiler/links_measure.hpp"

namespace cnnplan {
namespace {

// The last segment also covers what is longer than any sample.
std::vector<Segment> open_ended(std::vector<Segment> segments) {
  if (!segments.empty()) segments.back().max_bytes = std::numeric_limits<std::int64_t>::max();
  return segments;
}

// The one of most ranks: all of them share the memory and the links.
const LinkCurve* find_on_level(const LinkMeasurements& measurements,
                               LinkCurveKind kind,
                               const std::string& level) {
  const LinkCurve* most = nullptr;
  for (const LinkCurve& curve : measurements.curves) {
    if (curve.kind != kind || curve.level != level) continue;
    if (most == nullptr || curve.ranks > most->ranks) most = &curve;
  }
  return most;
}

// Median over the sizes of the time of an exchange / of one message.
double duplex_factor(const LinkCurve& message, const LinkCurve& exchange) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(message.samples.size(), exchange.samples.size()); ++i) {
    ratios.push_back(exchange.samples[i].time.median_s / message.samples[i].time.median_s);
  }
  return ratios.empty() ? 1.0 : summarize(std::move(ratios)).median_s;
}

// One of the 2(p-1) steps, by its n/p bytes. Steps of less than one element are left out.
std::vector<Segment> ring_segments(const LinkCurve& ring) {
  std::vector<LinkSample> steps;
  for (const LinkSample& sample : ring.samples) {
    const std::int64_t bytes = sample.bytes / ring.ranks;
    if (bytes < static_cast<std::int64_t>(sizeof(float))) continue;
    steps.push_back({.bytes = bytes, .time = scaled(sample.time, 0.5 / (ring.ranks - 1))});
  }
  return open_ended(fit_segments(steps).segments);
}

Level level_of(const LinkMeasurements& measurements, const LinkLevel& measured) {
  Level level{.name = measured.name,
              .ranks_per_group = measured.ranks_per_group,
              .segments = default_platform(measured.ranks_per_group).levels.front().segments,
              .shared_by = measured.shared_by};
  const LinkCurve* message = find_on_level(measurements, LinkCurveKind::message, measured.name);
  const LinkCurve* exchange = find_on_level(measurements, LinkCurveKind::exchange, measured.name);
  if (message == nullptr || exchange == nullptr) return level;
  level.segments = open_ended(fit_segments(message->samples).segments);
  level.duplex_factor = duplex_factor(*message, *exchange);
  const LinkCurve* ring = find_on_level(measurements, LinkCurveKind::ring_allreduce, measured.name);
  if (ring != nullptr) level.ring_segments = ring_segments(*ring);
  return level;
}

}  // namespace

Platform platform_of(const LinkMeasurements& measurements) {
  Platform platform{.name = "measured",
                    .device = measurements.device,
                    .memory_bytes = measurements.memory_bytes,
                    .levels = {},
                    .library_allreduce = {},
                    .gamma_s_per_byte = fit_s_per_byte(measurements.local.adds),
                    .copy_s_per_byte = fit_s_per_byte(measurements.local.copies),
                    .overlap_efficiency = overlap_efficiency(measurements.local.overlap),
                    .launch_s = measurements.local.launch_s,
                    .measured = true};
  for (const LinkLevel& level : measurements.levels) {
    platform.levels.push_back(level_of(measurements, level));
  }
  for (const LinkCurve& curve : measurements.curves) {
    if (curve.kind != LinkCurveKind::library_allreduce) continue;
    platform.library_allreduce.push_back(
        {.ranks = curve.ranks, .segments = open_ended(fit_segments(curve.samples).segments)});
  }
  return platform;
}

const LinkCurve* find_curve(const LinkMeasurements& measurements, LinkCurveKind kind, int ranks) {
  const auto& curves = measurements.curves;
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const LinkCurve& curve) {
    return curve.kind == kind && curve.ranks == ranks;
  });
  return found == curves.end() ? nullptr : &*found;
}

double algorithm_bandwidth(const LinkSample& sample) {
  return static_cast<double>(sample.bytes) / sample.time.median_s;
}

double bus_bandwidth(const LinkCurve& curve, const LinkSample& sample) {
  const bool collective =
      curve.kind == LinkCurveKind::library_allreduce || curve.kind == LinkCurveKind::ring_allreduce;
  if (!collective) return algorithm_bandwidth(sample);
  return bus_bandwidth_bytes_per_s(
      curve.ranks, static_cast<double>(sample.bytes), sample.time.median_s);
}

}  // namespace cnnplan
