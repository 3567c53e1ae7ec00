// From the last end back to the start.
#include "planner/predict/critical_path.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace cnnplan {
namespace {

// An operation of the rank that is walked for its class.
struct Place {
  std::size_t rank_class = 0;
  std::size_t operation = 0;
};

class PathBack {
 public:
  PathBack(std::span<const RankWork> work,
           const RankClasses& classes,
           std::span<const RankTimeline> timelines,
           const VirtualTimeOptions& options)
      : work_(work),
        classes_(classes),
        timelines_(timelines),
        overlaps_(options.overlap > 0.0),
        meeting_places_(work.size()) {}

  std::optional<Place> last() const {
    std::optional<Place> latest;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      for (std::size_t j = 0; j < work_[i].size(); ++j) take_later(latest, {i, j});
    }
    return latest;
  }

  // What ended last of all that `place` waited for.
  std::optional<Place> before(const Place& place) {
    std::optional<Place> latest = before_on_rank(place);
    const Meeting* const meeting = meeting_at(place);
    if (meeting == nullptr) return latest;
    for (std::size_t other : classes_in(*meeting)) {
      const std::optional<std::size_t> there = operation_of(other, meeting->id);
      if (!there) continue;
      if (const auto found = before_on_rank({other, *there})) take_later(latest, *found);
    }
    return latest;
  }

  double end_s(const Place& place) const {
    return timelines_[place.rank_class].ends_s[place.operation];
  }

 private:
  // The first of equals stays.
  void take_later(std::optional<Place>& latest, const Place& place) const {
    if (!latest || end_s(place) > end_s(*latest)) latest = place;
  }

  std::optional<Place> before_on_rank(const Place& place) const {
    const RankWork& work = work_[place.rank_class];
    std::optional<Place> latest;
    for (OperationIndex index : work.dependencies_of(place.operation)) {
      take_later(latest, {place.rank_class, static_cast<std::size_t>(index)});
    }
    for (std::size_t i = place.operation; i-- > 0;) {
      if (!follows_in_line(place.rank_class, i, place.operation)) continue;
      take_later(latest, {place.rank_class, i});
      break;
    }
    return latest;
  }

  // Whether the two are in the same stream, where that runs beside kernels, or the same lane.
  bool follows_in_line(std::size_t rank_class, std::size_t first, std::size_t second) const {
    const RankWork& work = work_[rank_class];
    const bool is_beside = runs_beside({rank_class, second});
    if (runs_beside({rank_class, first}) != is_beside) return false;
    return is_beside ? work.streams[first] == work.streams[second]
                     : work.lanes[first] == work.lanes[second];
  }

  bool runs_beside(const Place& place) const {
    return overlaps_ && work_[place.rank_class].streams[place.operation] != Stream::compute &&
           meeting_at(place) != nullptr;
  }

  // Null where the operation is no communication.
  const Meeting* meeting_at(const Place& place) const {
    const std::vector<Meeting>& meetings = work_[place.rank_class].meetings;
    const auto found = std::lower_bound(meetings.begin(),
                                        meetings.end(),
                                        place.operation,
                                        [](const Meeting& meeting, std::size_t operation) {
                                          return meeting.operation < operation;
                                        });
    return found != meetings.end() && found->operation == place.operation ? &*found : nullptr;
  }

  std::vector<std::size_t> classes_in(const Meeting& meeting) {
    const auto* group = std::get_if<RankGroup>(&meeting.ranks);
    if (group == nullptr) return classes_of(std::get<std::vector<int>>(meeting.ranks));
    const auto [entry, is_new] = classes_of_groups_.try_emplace(*group);
    if (is_new) entry->second = classes_of(group->ranks());
    return entry->second;
  }

  // Each once.
  std::vector<std::size_t> classes_of(const std::vector<int>& ranks) const {
    std::vector<std::size_t> found;
    for (int rank : ranks) found.push_back(static_cast<std::size_t>(classes_.class_of(rank)));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // A class that stands for several ranks may do without what some of them have.
  std::optional<std::size_t> operation_of(std::size_t rank_class, std::string_view id) {
    Places& places = meeting_places_[rank_class];
    const std::vector<Meeting>& meetings = work_[rank_class].meetings;
    if (places.empty()) {
      for (const Meeting& meeting : meetings) places.emplace(meeting.id, meeting.operation);
    }
    const auto found = places.find(id);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }

  using Places = std::unordered_map<std::string_view, std::size_t>;

  std::span<const RankWork> work_;
  const RankClasses& classes_;
  std::span<const RankTimeline> timelines_;
  bool overlaps_;
  std::map<RankGroup, std::vector<std::size_t>> classes_of_groups_;  // of those on the path
  std::vector<Places> meeting_places_;  // by class, of those on the path
};

}  // namespace

std::vector<CriticalOperation> critical_path(std::span<const RankWork> work,
                                             const RankClasses& classes,
                                             std::span<const RankTimeline> timelines,
                                             const VirtualTimeOptions& options) {
  PathBack path(work, classes, timelines, options);
  std::vector<CriticalOperation> operations;
  std::optional<Place> place = path.last();
  while (place) {
    const std::optional<Place> before = path.before(*place);
    operations.push_back({.rank_class = place->rank_class,
                          .operation = place->operation,
                          .seconds = path.end_s(*place) - (before ? path.end_s(*before) : 0.0)});
    place = before;
  }
  std::reverse(operations.begin(), operations.end());
  return operations;
}

}  // namespace cnnplan
