// Writes the timeline of a step as flat lists of numbers, which take little space.
#include <cmath>

#include "planner/page/report_json.hpp"

namespace cnnplan {
namespace {

// Events of more tracks than these would make the page slow to open and large to send.
constexpr std::size_t most_events = 120'000;

// Returns microseconds with three decimals.
double microseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

OrderedJson operations_json(const Timeline& timeline) {
  OrderedJson list = OrderedJson::array();
  for (const TimelineOperation& operation : timeline.operations) {
    const OperationLabel& label = operation.label;
    list.push_back({operation.id,
                    to_text(label.part),
                    label.layer ? int{*label.layer} : -1,
                    to_text(operation.stream)});
  }
  return list;
}

// The lowest ranks have the largest blocks. At least one track is kept.
std::size_t kept_tracks(const Timeline& timeline) {
  std::size_t events = 0;
  std::size_t kept = 0;
  while (kept < timeline.tracks.size()) {
    events += timeline.tracks[kept].events.size();
    if (kept > 0 && events > most_events) break;
    ++kept;
  }
  return kept;
}

OrderedJson track_json(const TimelineTrack& track) {
  OrderedJson events = OrderedJson::array();
  for (const TimelineEvent& event : track.events) {
    events.push_back(event.operation);
    events.push_back(event.lane);
    const OperationSpan& span = event.span;
    events.push_back(microseconds(span.begin_s));
    events.push_back(microseconds(span.work_begin_s - span.begin_s));
    events.push_back(microseconds(span.end_s - span.work_begin_s));
  }
  return {{"ranks", track.ranks}, {"events", events}};
}

// Times at which nothing changes are left out.
OrderedJson memory_json(const MemoryTimeline& memory) {
  OrderedJson points = OrderedJson::array();
  std::int64_t before = -1;
  for (const MemoryChange& change : memory.arena) {
    if (change.bytes == before) continue;
    before = change.bytes;
    points.push_back(static_cast<double>(change.time_ns) / 1e3);
    points.push_back(change.bytes);
  }
  OrderedJson kept = OrderedJson::array();
  for (const std::int64_t bytes : memory.kept_bytes) kept.push_back(bytes);
  OrderedJson parameters = OrderedJson::array();
  for (const std::int64_t bytes : memory.parameter_bytes) parameters.push_back(bytes);
  return {{"rank", memory.rank}, {"points", points}, {"kept", kept}, {"parameters", parameters}};
}

}  // namespace

OrderedJson timeline_json(const Timeline& timeline, const Plan& plan) {
  const std::size_t kept = kept_tracks(timeline);
  OrderedJson tracks = OrderedJson::array();
  for (std::size_t i = 0; i < kept; ++i) tracks.push_back(track_json(timeline.tracks[i]));
  return {{"step_us", microseconds(timeline.step_s)},
          {"overlap", plan.overlap},
          {"operations", operations_json(timeline)},
          {"tracks", tracks},
          {"tracks_left_out", timeline.tracks.size() - kept},
          {"memory", memory_json(timeline.memory)}};
}

}  // namespace cnnplan
