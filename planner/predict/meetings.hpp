// Knows which classes of ranks meet in which operations, and when each reached them.
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

// Holds all meetings of a prediction. A meeting is a transfer or a collective as one rank sees it.
// Meetings of several ranks with equal ids belong together. The predictor walks in virtual time
// through the operations of one representative of each class. Its arrival stands for all ranks of
// the class. `own` is the index of a class, and `index` that of a meeting in RankWork::meetings of
// its representative.
class Meetings {
 public:
  // Keeps references to both. @pre work[i].rank == classes.representatives()[i]
  Meetings(std::span<const RankWork> work, const RankClasses& classes);

  // Records when class `own` reached its meeting `index`. Returns the mean time at which the last
  // of all ranks reaches it, or nothing while a class is missing.
  std::optional<double> meet(std::size_t own, std::size_t index, const Arrival& arrival);
  // True if no other rank takes part in the meeting.
  bool is_alone(std::size_t own, std::size_t index) const;

 private:
  struct Members {
    int rank_class = 0;  // an index of classes
    int ranks = 1;       // of this class that take part
  };
  // Lists who meets, in the order of classes. Ranks with equal parties leave at the same time.
  using Party = std::vector<Members>;

  void add_numbers(const RankWork& work);
  void expect(std::size_t own);
  void add_parties(const RankWork& work);
  Party party_of(const Meeting& meeting, int rank);
  Party by_class(const std::vector<int>& ranks) const;
  bool is_absent(const Members& other, std::size_t number) const;

  const RankClasses& classes_;
  std::size_t class_count_;
  std::unordered_map<std::string_view, std::size_t> ids_;
  std::map<RankGroup, Party> group_classes_;
  std::vector<std::vector<std::size_t>> numbers_;  // by class and meeting: number of its id
  std::vector<std::vector<Party>> parties_;        // by class and meeting
  std::vector<Arrival> arrivals_;                  // by number and class
  std::vector<Arrival> met_;                       // in the meeting that is looked at
};

}  // namespace cnnplan
