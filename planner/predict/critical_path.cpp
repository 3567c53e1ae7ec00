// Finds the critical path from the end of the last operation back to the start.
#include "planner/predict/critical_path.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

namespace cnnplan {
namespace {

// Names an operation of the rank that is walked for its class.
struct Place {
  std::size_t rank_class = 0;
  OperationIndex operation;
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
      for (const OperationIndex j : work_[i].prices.indices()) take_later(latest, {i, j});
    }
    return latest;
  }

  // Returns the operation that ended last among all operations that `place` waited for.
  std::optional<Place> before(const Place& place) {
    std::optional<Place> latest = before_on_rank(place);
    const Meeting* const meeting = meeting_at(place);
    if (meeting == nullptr) return latest;
    for (std::size_t other : classes_in(*meeting)) {
      const std::optional<OperationIndex> there = operation_of(other, meeting->id);
      if (!there) continue;
      if (const auto found = before_on_rank({other, *there})) take_later(latest, *found);
    }
    return latest;
  }

  double end_s(const Place& place) const {
    return timelines_[place.rank_class].ends_s[place.operation];
  }

 private:
  // The first of several operations that end at the same time stays.
  void take_later(std::optional<Place>& latest, const Place& place) const {
    if (!latest || end_s(place) > end_s(*latest)) latest = place;
  }

  std::optional<Place> before_on_rank(const Place& place) const {
    const RankWork& work = work_[place.rank_class];
    std::optional<Place> latest;
    for (OperationIndex index : work.dependencies_of(place.operation)) {
      take_later(latest, {place.rank_class, index});
    }
    for (OperationIndex i = place.operation; i-- > 0;) {
      if (!follows_in_line(place.rank_class, i, place.operation)) continue;
      take_later(latest, {place.rank_class, i});
      break;
    }
    return latest;
  }

  // True where both operations run next to kernels in one stream, or both are in one lane.
  bool follows_in_line(std::size_t rank_class, OperationIndex first, OperationIndex second) const {
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

  // Returns null where the operation is no communication.
  const Meeting* meeting_at(const Place& place) const {
    const std::vector<Meeting>& meetings = work_[place.rank_class].meetings;
    const auto found = std::lower_bound(meetings.begin(),
                                        meetings.end(),
                                        place.operation,
                                        [](const Meeting& meeting, OperationIndex operation) {
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

  // Returns the classes of the ranks, each once.
  std::vector<std::size_t> classes_of(const std::vector<int>& ranks) const {
    std::vector<std::size_t> found;
    for (int rank : ranks) found.push_back(classes_.class_of(rank));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // A class that stands for several ranks may lack an operation that some of these ranks have.
  std::optional<OperationIndex> operation_of(std::size_t rank_class, std::string_view id) {
    Places& places = meeting_places_[rank_class];
    const std::vector<Meeting>& meetings = work_[rank_class].meetings;
    if (places.empty()) {
      for (const Meeting& meeting : meetings) places.emplace(meeting.id, meeting.operation);
    }
    const auto found = places.find(id);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }

  using Places = std::unordered_map<std::string_view, OperationIndex>;

  std::span<const RankWork> work_;
  const RankClasses& classes_;
  std::span<const RankTimeline> timelines_;
  bool overlaps_;
  std::map<RankGroup, std::vector<std::size_t>> classes_of_groups_;  // of groups on the path
  std::vector<Places> meeting_places_;  // by class, of classes on the path
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

std::vector<int> ranks_on_path(std::span<const CriticalOperation> path,
                               const RankClasses& classes) {
  std::map<std::size_t, double> seconds;  // by class
  for (const CriticalOperation& operation : path) {
    seconds[operation.rank_class] += operation.seconds;
  }
  std::vector<std::pair<double, int>> ranks;
  for (const auto& [rank_class, own_s] : seconds) {
    ranks.emplace_back(own_s, classes.representatives()[rank_class]);
  }
  std::stable_sort(
      ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int> found;
  for (const auto& [own_s, rank] : ranks) found.push_back(rank);
  return found;
}

}  // namespace cnnplan
