// Computes the figures of a platform from measured curves.
#include <algorithm>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

#include "planner/base/bytes_text.hpp"
#include "planner/cost/collectives.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/exchange_times.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/tensor/rank_group.hpp"
#include "profiler/links_measure.hpp"

namespace cnnplan {
namespace {

// Makes the last segment cover messages longer than any sample, too.
std::vector<Segment> open_ended(std::vector<Segment> segments) {
  if (!segments.empty()) segments.back().max_bytes = std::numeric_limits<std::int64_t>::max();
  return segments;
}

// Returns the wanted curve of most ranks, since all of its ranks share the memory and the links.
template <typename Wanted>
const LinkCurve* find_curve(const LinkMeasurements& measurements, Wanted is_wanted) {
  const LinkCurve* most = nullptr;
  for (const LinkCurve& curve : measurements.curves) {
    if (!is_wanted(curve)) continue;
    if (most == nullptr || curve.ranks > most->ranks) most = &curve;
  }
  return most;
}

const LinkCurve* find_on_level(const LinkMeasurements& measurements,
                               LinkCurveKind kind,
                               const std::string& level) {
  return find_curve(measurements, [&](const LinkCurve& curve) {
    return curve.kind == kind && curve.level == level;
  });
}

// Returns the segments of a step of the ring, none where no ring was measured.
std::vector<Segment> ring_segments_of(const LinkMeasurements& measurements,
                                      CollectiveKind kind,
                                      const std::string& level) {
  const LinkCurve* const ring = find_curve(measurements, [&](const LinkCurve& curve) {
    return curve.is_ring() && curve.collective == kind && curve.level == level;
  });
  return ring == nullptr ? std::vector<Segment>() : open_ended(fit_of(*ring).segments);
}

// Returns what a further message adds to the time: the median over the sizes whose bytes hardly
// count.
double gap_s(const LinkCurve& exchange, const LinkCurve& exchanges) {
  constexpr std::int64_t most_bytes = 4096;
  std::vector<double> gaps_s;
  for (std::size_t i = 0; i < std::min(exchange.samples.size(), exchanges.samples.size()); ++i) {
    if (exchange.samples[i].bytes > most_bytes) break;
    const double more_s = exchanges.samples[i].seconds() - exchange.samples[i].seconds();
    gaps_s.push_back(std::max(0.0, more_s) / (messages_at_once - 1));
  }
  return gaps_s.empty() ? 0.0 : median(gaps_s);
}

double s_per_byte(const LinkSample& sample) {
  return sample.seconds() / static_cast<double>(sample.bytes);
}

double median_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Few repetitions of a large collective may all find both directions of the link in step, or all
// out of step, as others would not. So such a collective takes per byte the median of its own time
// and of those of its neighbours. One slow size alone is chance. Two are a rule, so larger ones are
// no faster. A size is slow if it takes much more per byte than a smaller one. Where latency
// counts, times per byte fall with the size, and no size is slow.
std::vector<LinkSample> steady_samples(std::span<const LinkSample> samples) {
  constexpr std::int64_t large_bytes = std::int64_t{1} << 20;
  constexpr double least_slowdown = 1.25;
  std::vector<LinkSample> steady(samples.begin(), samples.end());
  double fastest_s_per_byte = std::numeric_limits<double>::infinity();  // of the large sizes so far
  double slowest_s_per_byte = 0.0;                                      // of the slow sizes so far
  double second_s_per_byte = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].has_two_times || samples[i].bytes < large_bytes) continue;
    const double own = s_per_byte(samples[i]);
    if (own > least_slowdown * fastest_s_per_byte) {
      second_s_per_byte = std::max(second_s_per_byte, std::min(slowest_s_per_byte, own));
      slowest_s_per_byte = std::max(slowest_s_per_byte, own);
    }
    fastest_s_per_byte = std::min(fastest_s_per_byte, own);
    if (samples[i].bytes == large_bytes || i == 0) continue;
    const double next = i + 1 < samples.size() ? s_per_byte(samples[i + 1]) : own;
    const double typical = median_of_three(s_per_byte(samples[i - 1]), own, next);
    const double wanted = std::max(typical, second_s_per_byte);
    if (wanted != own) steady[i].time = scaled(samples[i].time, wanted / own);
  }
  return steady;
}

// Returns the times of one step, which moves n/p bytes. Steps of less than one element are left
// out.
std::vector<LinkSample> ring_steps(const LinkCurve& ring) {
  std::vector<LinkSample> steps;
  const RoundSeries series = ring_series(ring.ranks);
  const int count = round_count(series, ring.collective);
  for (const LinkSample& sample : ring.samples) {
    const std::int64_t bytes = sample.bytes / series.parts;
    if (bytes < std::int64_t{sizeof(float)}) continue;
    steps.push_back({.bytes = bytes,
                     .time = scaled(sample.time, 1.0 / count),
                     .has_two_times = sample.has_two_times});
  }
  return steps;
}

Level level_of(const LinkMeasurements& measurements, const Level& measured) {
  Level level{.name = measured.name,
              .ranks_per_group = measured.ranks_per_group,
              .segments = default_platform(measured.ranks_per_group).levels.front().segments,
              .shared_by = measured.shared_by};
  const LinkCurve* message = find_on_level(measurements, LinkCurveKind::message, measured.name);
  const LinkCurve* exchange = find_on_level(measurements, LinkCurveKind::exchange, measured.name);
  if (message == nullptr || exchange == nullptr) return level;
  level.segments = open_ended(fit_of(*message).segments);
  level.exchange_segments = open_ended(fit_of(*exchange).segments);
  const LinkCurve* exchanges = find_on_level(measurements, LinkCurveKind::exchanges, measured.name);
  if (exchanges != nullptr) level.gap_s = gap_s(*exchange, *exchanges);
  const auto segments = [&](CollectiveKind kind) {
    return ring_segments_of(measurements, kind, measured.name);
  };
  level.ring_segments = segments(CollectiveKind::allreduce);
  level.reduce_scatter_segments = segments(CollectiveKind::reduce_scatter);
  level.allgather_segments = segments(CollectiveKind::allgather);
  return level;
}

const Level& level_named(const Platform& platform, const std::string& name) {
  const auto& levels = platform.levels;
  const auto found = std::find_if(
      levels.begin(), levels.end(), [&](const Level& level) { return level.name == name; });
  if (found == levels.end()) throw std::logic_error("the platform has no level " + name);
  return *found;
}

double exchanges_time_s(const Level& level, double bytes) {
  const ExchangeTimes exchange = exchange_times(level);
  const Segment& segment = segment_of(exchange.segments, bytes / messages_at_once);
  return exchange.factor *
         (segment.alpha_s + segment.beta_s_per_byte * bytes + (messages_at_once - 1) * level.gap_s);
}

double predicted_s(const Platform& platform, const LinkCurve& curve, double bytes) {
  const Level& level = level_named(platform, curve.level);
  const RankGroup group(0, curve.ranks);
  const GroupLinks links = links_of(
      platform, group, curve.ranks, members_per_node(group, ranks_of_a_node(platform.levels)));
  switch (curve.kind) {
    case LinkCurveKind::message:
      return segment_time_s(level.segments, bytes);
    case LinkCurveKind::exchange:
      return direction_time(level, bytes).exchanged_s;
    case LinkCurveKind::exchanges:
      return exchanges_time_s(level, bytes);
    case LinkCurveKind::collective:
      return collective_time_s(platform, links, bytes, curve.collective, curve.algorithm);
  }
  throw std::logic_error("unknown kind of curve");
}

}  // namespace

LinkFit fit_of(const LinkCurve& curve) {
  LinkCurve steady = curve;
  steady.samples = steady_samples(curve.samples);
  return fit_segments(steady.is_ring() ? ring_steps(steady) : steady.samples);
}

int replaced_samples(const LinkCurve& curve) {
  const std::vector<LinkSample> steady = steady_samples(curve.samples);
  int replaced = 0;
  for (std::size_t i = 0; i < steady.size(); ++i) replaced += steady[i] == curve.samples[i] ? 0 : 1;
  return replaced;
}

FitError prediction_error(const Platform& platform, const LinkCurve& curve) {
  std::vector<double> predicted;
  for (const LinkSample& sample : curve.samples) {
    predicted.push_back(predicted_s(platform, curve, static_cast<double>(sample.bytes)));
  }
  return fit_error(curve.samples, predicted);
}

Platform platform_of(const LinkMeasurements& measurements) {
  Platform platform{.name = "measured",
                    .device = measurements.device,
                    .memory_bytes = measurements.memory_bytes,
                    .process_bytes = measurements.process_bytes,
                    .levels = {},
                    .allreduce = {},
                    .gamma_s_per_byte = fit_s_per_byte(measurements.local.adds),
                    .copy_s_per_byte = fit_s_per_byte(measurements.local.copies),
                    .overlap_efficiency = overlap_efficiency(measurements.local.overlap),
                    .launch_s = measurements.local.launch_s,
                    .measured = true};
  for (const Level& level : measurements.levels) {
    platform.levels.push_back(level_of(measurements, level));
  }
  // The ranks of a curve are the first ones, and no others ran it at the same time.
  const int node_ranks = ranks_of_a_node(platform.levels);
  for (const LinkCurve& curve : measurements.curves) {
    if (curve.kind != LinkCurveKind::collective || curve.is_ring()) continue;
    platform.allreduce.push_back({.ranks = curve.ranks,
                                  .segments = open_ended(fit_of(curve).segments),
                                  .algorithm = curve.algorithm,
                                  .kind = curve.collective,
                                  .ranks_per_node = std::min(curve.ranks, node_ranks),
                                  .groups_at_once = 1});
  }
  return platform;
}

std::string short_budget_text(const LinkMeasurements& measurements, const LinkOptions& options) {
  std::int64_t first_end = options.most_bytes;
  std::size_t cut = 0;
  for (const LinkCurve& curve : measurements.curves) {
    if (curve.samples.empty() || curve.samples.back().bytes >= options.most_bytes) continue;
    first_end = std::min(first_end, curve.samples.back().bytes);
    ++cut;
  }
  if (cut == 0) return {};
  std::ostringstream text;
  text << "--time-budget " << options.time_budget_s << " was too short for all sizes: " << cut
       << " of " << measurements.curves.size() << " curves end before "
       << bytes_text(options.most_bytes) << ", the first at " << bytes_text(first_end)
       << "; longer messages are extrapolated, and a larger --time-budget times them";
  return text.str();
}

double algorithm_bandwidth(const LinkSample& sample) {
  return static_cast<double>(sample.bytes) / sample.seconds();
}

double bus_bandwidth(const LinkCurve& curve, const LinkSample& sample) {
  if (curve.kind != LinkCurveKind::collective) return algorithm_bandwidth(sample);
  // Over p ranks, each half of an allreduce moves (p-1)/p of the bytes over each link.
  const double half = algorithm_bandwidth(sample) * (curve.ranks - 1) / curve.ranks;
  return curve.collective == CollectiveKind::allreduce ? 2 * half : half;
}

}  // namespace cnnplan
