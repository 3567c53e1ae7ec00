// Knows which classes of ranks share each transfer or collective, and when each class reached it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "planner/predict/arrival.hpp"
#include "planner/predict/rank_work.hpp"
#include "planner/schedule/representatives/rank_classes.hpp"

namespace cnnplan {

// Counts the ranks of one class that take part in a meeting.
struct ClassMembers {
  int rank_class = 0;  // an index of classes
  int ranks = 1;       // of this class that take part
};

// Says who meets in the operations of a plan. A meeting is a transfer or a collective as one rank
// sees it. Meetings of several ranks with equal ids belong together. The answers hold for all walks
// through the operations. `own` is the index of a class, and `index` that of a meeting in
// RankWork::meetings of its representative.
class Meetings {
 public:
  // Lists who meets, in the order of classes. Ranks with equal parties leave at the same time.
  using Party = std::span<const ClassMembers>;

  // Keeps references. Nobody waits for a class without operations.
  // @pre work[i] has no operations, or work[i].rank == classes.representatives()[i]
  Meetings(std::span<const RankWork> work, const RankClasses& classes);

  std::size_t class_count() const { return class_count_; }
  // Returns the number of different ids.
  std::size_t id_count() const { return ids_.size(); }
  // Returns the number of the id of meeting `index` of class `own`.
  std::size_t number(std::size_t own, std::size_t index) const { return numbers_[own][index]; }
  Party party(std::size_t own, std::size_t index) const;
  // True where the meeting waits for no other rank.
  bool is_alone(std::size_t own, std::size_t index) const;

 private:
  // Holds where a party stands in members_.
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void add_numbers(const RankWork& work);
  void mark_meetings();
  void add_parties(const RankWork& work);
  void append_party(const Meeting& meeting, int rank);
  const std::vector<ClassMembers>& classes_of(const RankGroup& group);
  std::vector<ClassMembers> by_class(std::span<const int> ranks);
  bool is_absent(const ClassMembers& other, std::size_t number) const;

  const RankClasses& classes_;
  std::size_t class_count_;
  std::unordered_map<std::string_view, std::size_t> ids_;
  std::map<RankGroup, std::vector<ClassMembers>> group_classes_;
  std::vector<std::vector<std::size_t>> numbers_;  // by class and meeting: number of its id
  std::vector<bool> is_left_out_;                  // by class
  std::vector<bool> has_meeting_;                  // by number and class
  std::vector<std::vector<Place>> places_;         // by class and meeting
  std::vector<ClassMembers> members_;              // of all parties, one after the other
  std::vector<int> sorted_classes_;                // memory that by_class uses again
};

// Records when the classes reach their meetings in one walk.
class Arrivals {
 public:
  // Keeps a reference.
  explicit Arrivals(const Meetings& meetings);

  // Records when class `own` reached its meeting `index`. Returns the mean time at which the last
  // of all ranks reaches it, or nothing while a class is missing.
  std::optional<double> meet(std::size_t own, std::size_t index, const Arrival& arrival);
  const Meetings& meetings() const { return meetings_; }

 private:
  const Meetings& meetings_;
  std::vector<Arrival> arrivals_;  // by number and class
  std::vector<Arrival> met_;       // in the meeting that is looked at
};

}  // namespace cnnplan
