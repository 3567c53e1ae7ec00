// Checks the parts of a prediction one after the other.
#include "planner/search/explain/prediction_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/predict/operation_places.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/search/candidates/search_units.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

constexpr double rounding_of_gap = 1e-9;   // of step_s / bound_s
constexpr double rounding_of_path = 1e-6;  // of step_s

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

class PredictionCheck {
 public:
  PredictionCheck(const Plan& plan, const std::string& file)
      : plan_(plan), prediction_(plan.prediction), file_(file) {}

  void gap() const {
    const double ratio =
        prediction_.bound_s > 0.0 ? prediction_.step_s / prediction_.bound_s - 1.0 : 0.0;
    const double expected = std::max(0.0, ratio);
    if (std::fabs(prediction_.gap - expected) <= rounding_of_gap * (1.0 + expected)) return;
    refuse("/gap", number(prediction_.gap), number(expected) + ", step_s / bound_s - 1");
  }

  void operations() const {
    const auto& operations = prediction_.operations;
    if (operations.empty()) return;
    const Schedule schedule = lower(plan_, std::array{0}, {.detail = Detail::priced}).front();
    const std::size_t own = schedule.operations.size();
    for (std::size_t i = 0; i < own; ++i) {
      const Operation& lowered = schedule.operations[OperationIndex(i)];
      if (i == operations.size()) {
        refuse("/operations",
               "a list of " + std::to_string(i),
               "at least the " + std::to_string(own) + " operations of rank 0");
      }
      operation(i, operations[i].id == lowered.id, quoted(lowered.id));
      place(i, place_of(lowered.label, plan_.network));
    }
    for (std::size_t i = own; i < operations.size(); ++i) {
      operation(
          i, is_of_plan(operations[i].place), "an operation of a layer, a reduction or an update");
    }
    unique();
  }

  void critical_path() const {
    double sum_s = 0.0;
    for (const PredictedOperation& operation : prediction_.operations) {
      sum_s += operation.critical_s;
    }
    const double difference_s = std::fabs(sum_s - prediction_.step_s);
    if (sum_s == 0.0 || difference_s <= rounding_of_path * prediction_.step_s) return;
    refuse("/operations",
           "critical_s of " + number(sum_s) + " in sum",
           number(prediction_.step_s) + ", the step, or none");
  }

  void partitioning() const {
    const std::vector<PartitionedStep>& steps = prediction_.partitioning.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string place = "/partitioning/steps/" + std::to_string(i);
      const int partitions = steps[i].partitions;
      if (i == 0 && partitions != 1) {
        refuse(place + "/partitions", std::to_string(partitions), "1 in the first step");
      }
      if (i > 0 && partitions <= steps[i - 1].partitions) {
        refuse(place + "/partitions", std::to_string(partitions), "more than in the step before");
      }
      if (steps[i].step_s <= 0.0) refuse(place + "/step_s", number(steps[i].step_s), "above 0");
    }
  }

  void margins() const {
    const std::vector<int> ranks = probe_ranks(plan_.ranks);
    const int rank = prediction_.margins_sum.rank;
    if (rank >= 0 && std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
      refuse("/margins_rank", std::to_string(rank), "rank " + joined(ranks));
    }
    std::set<std::string> heads;
    for (const SearchUnit& unit : search_units(plan_.network)) {
      heads.insert(plan_.network.layer(unit.head()).name);
    }
    for (std::size_t i = 0; i < prediction_.margins.size(); ++i) changes(i, heads);
  }

 private:
  void changes(std::size_t margin, const std::set<std::string>& heads) const {
    const auto& all = prediction_.margins[margin].changes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (heads.contains(all[i].layer)) continue;
      refuse("/margins/" + std::to_string(margin) + "/changes/" + std::to_string(i) + "/layer",
             quoted(all[i].layer),
             "layers that choose, not those that follow them");
    }
  }

  void operation(std::size_t i, bool is_right, const std::string& allowed) const {
    if (is_right) return;
    refuse(
        "/operations/" + std::to_string(i) + "/id", quoted(prediction_.operations[i].id), allowed);
  }

  void place(std::size_t i, const OperationPlace& expected) const {
    const OperationPlace& found = prediction_.operations[i].place;
    const std::string pointer = "/operations/" + std::to_string(i);
    if (found.part != expected.part) {
      refuse(pointer + "/part", part_text(found), part_text(expected) + ", the part of this id");
    }
    if (found.layer != expected.layer) {
      refuse(pointer + "/layer", quoted(found.layer), quoted(expected.layer));
    }
    if (found.level == expected.level) return;
    refuse(pointer + "/level", level_text(found), level_text(expected));
  }

  void unique() const {
    std::set<std::string_view> known;
    for (std::size_t i = 0; i < prediction_.operations.size(); ++i) {
      operation(i, known.insert(prediction_.operations[i].id).second, "every operation once");
    }
  }

  bool is_of_plan(const OperationPlace& place) const {
    if (!place.part) return false;
    return serves_bucket(*place.part) || plan_.network.index_of(place.layer).has_value();
  }

  static std::string part_text(const OperationPlace& place) {
    return place.part ? quoted(std::string(to_text(*place.part))) : "no part";
  }

  static std::string level_text(const OperationPlace& place) {
    return place.level ? std::to_string(*place.level) : "no level";
  }

  static std::string joined(const std::vector<int>& ranks) {
    std::string text;
    for (int rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
    return text;
  }

  [[noreturn]] void refuse(const std::string& pointer,
                           const std::string& value,
                           const std::string& allowed) const {
    throw InputError(
        {.file = file_, .pointer = "/prediction" + pointer, .value = value, .allowed = allowed});
  }

  const Plan& plan_;
  const Prediction& prediction_;
  const std::string& file_;
};

}  // namespace

void check_prediction(const Plan& given, const std::string& file) {
  const Plan plan = with_places(given, file);
  const PredictionCheck check(plan, file);
  check.gap();
  check.margins();
  check.partitioning();
  check.operations();
  check.critical_path();
}

}  // namespace cnnplan
