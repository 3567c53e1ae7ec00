// Checks that the lists of a trace belong together while it reads them.
#include "planner/run/measured_steps_json.hpp"

#include <nlohmann/json.hpp>

#include "planner/run/gradient_checks_json.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange nanoseconds_range{0, std::int64_t{1} << 60};

IntegerRange exactly(std::size_t count) {
  return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(count)};
}

RankClock read_clock(const JsonReader& reader) {
  reader.allow_keys({"offset_s", "drift", "round_trip_s"});
  return {.offset_s = reader.at("offset_s").number({}),
          .drift = reader.at("drift").number({.minimum = -1.0, .maximum = 1.0}),
          .round_trip_s = reader.at("round_trip_s").number(seconds_range)};
}

std::vector<std::int64_t> read_nanoseconds(const JsonReader& reader, std::size_t count) {
  std::vector<std::int64_t> values;
  values.reserve(count);
  for (const JsonReader& entry : reader.entries(exactly(count))) {
    values.push_back(entry.integer(nanoseconds_range));
  }
  return values;
}

OperationTimes read_times(const JsonReader& reader, std::size_t operations) {
  reader.allow_keys({"begin_ns", "duration_ns"});
  return {.begin_ns = read_nanoseconds(reader.at("begin_ns"), operations),
          .duration_ns = read_nanoseconds(reader.at("duration_ns"), operations)};
}

// Reads the places of operations in a list of `count` operations.
std::vector<int> read_places(const JsonReader& reader, std::size_t count) {
  std::vector<int> places;
  std::vector<bool> is_listed(count, false);
  for (const JsonReader& entry : reader.entries()) {
    const auto place = entry.integer<int>(count_range);
    if (place >= std::ssize(is_listed) || is_listed[place]) {
      entry.refuse("the place of an operation in /operations, each place once");
    }
    is_listed[place] = true;
    places.push_back(place);
  }
  return places;
}

RankTimes read_rank(const JsonReader& reader, std::size_t operations, const IntegerRange& steps) {
  reader.allow_keys({"clock", "operations", "steps"});
  RankTimes rank{.clock = read_clock(reader.at("clock")),
                 .operations = read_places(reader.at("operations"), operations)};
  for (const JsonReader& entry : reader.at("steps").entries(steps)) {
    rank.steps.push_back(read_times(entry, rank.operations.size()));
  }
  return rank;
}

nlohmann::ordered_json to_ordered_json(const RankTimes& rank) {
  nlohmann::ordered_json json{{"clock",
                               {{"offset_s", rank.clock.offset_s},
                                {"drift", rank.clock.drift},
                                {"round_trip_s", rank.clock.round_trip_s}}},
                              {"operations", rank.operations},
                              {"steps", nlohmann::ordered_json::array()}};
  for (const OperationTimes& times : rank.steps) {
    json["steps"].push_back({{"begin_ns", times.begin_ns}, {"duration_ns", times.duration_ns}});
  }
  return json;
}

}  // namespace

std::optional<MeasuredSteps> read_measured_steps(const JsonReader& root,
                                                 std::size_t operations,
                                                 int ranks) {
  if (!root.has("trace")) return std::nullopt;
  const JsonReader reader = root.at("trace");
  reader.allow_keys({"first_step", "ranks"});
  MeasuredSteps steps{.first_step = reader.at("first_step").integer(step_range)};
  IntegerRange count{1, count_range.maximum};
  for (const JsonReader& entry : reader.at("ranks").entries({ranks, ranks})) {
    steps.ranks.push_back(read_rank(entry, operations, count));
    count = exactly(steps.ranks.back().steps.size());
  }
  return steps;
}

nlohmann::ordered_json to_ordered_json(const MeasuredSteps& steps) {
  nlohmann::ordered_json json{{"first_step", steps.first_step},
                              {"ranks", nlohmann::ordered_json::array()}};
  for (const RankTimes& rank : steps.ranks) json["ranks"].push_back(to_ordered_json(rank));
  return json;
}

}  // namespace cnnplan
