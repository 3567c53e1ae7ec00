// Words the differences between a plan and plans in which one layer is split otherwise.
#include "planner/summary/other_splits_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/summary/reason.hpp"
#include "planner/summary/reason_text.hpp"

namespace cnnplan {
namespace {

// Holds what a step with another split takes more for one cost.
struct MoreOfCost {
  Cost cost = Cost::kernels;
  double more_s = 0.0;
};

// Returns the differences of all costs, the largest first.
std::vector<MoreOfCost> differences(const CostTimes& own, const CostTimes& other) {
  std::vector<MoreOfCost> found;
  for (const Cost cost : Enumerators<Cost>::all) {
    const auto i = static_cast<std::size_t>(cost);
    found.push_back({.cost = cost, .more_s = other[i] - own[i]});
  }
  std::stable_sort(found.begin(), found.end(), [](const MoreOfCost& a, const MoreOfCost& b) {
    return std::fabs(a.more_s) > std::fabs(b.more_s);
  });
  return found;
}

// Lists the largest differences, and all others in sum. A sum that rounding hides is left out.
std::string costs_text(const OtherSplits& found, const OtherSplit& other) {
  constexpr std::size_t most = 3;
  constexpr double own_words = 0.1;  // of the largest difference
  constexpr double shown = 0.01;     // of the largest difference
  const std::vector<MoreOfCost> all = differences(costs_of(found.parts), costs_of(other.parts));
  const double largest_s = std::fabs(all.front().more_s);
  double rest_s = other.step_s - found.step_s;
  std::string text;
  for (std::size_t i = 0; i < most; ++i) {
    const double more_s = all[i].more_s;
    if (more_s == 0.0 || std::fabs(more_s) < own_words * largest_s) break;
    rest_s -= more_s;
    text += (text.empty() ? "" : ", ") + subject(all[i].cost) + ' ' + more_or_less(more_s);
  }
  if (std::fabs(rest_s) < shown * largest_s) return text;
  return text + (text.empty() ? "" : ", all else ") + more_or_less(rest_s);
}

std::string memory_text(const OtherSplits& found, const OtherSplit& other, const Plan& plan) {
  if (!other.fits) {
    return "; a rank would need " + bytes_text(other.memory_bytes) + ", and has " +
           bytes_text(plan.prediction.memory.available_bytes);
  }
  constexpr double shown = 0.01;
  const std::int64_t more = other.memory_bytes - found.memory_bytes;
  if (std::fabs(static_cast<double>(more)) < shown * static_cast<double>(found.memory_bytes)) {
    return "";
  }
  return "; a rank would need " + bytes_text(std::abs(more)) + (more < 0 ? " less" : " more");
}

std::string split_text(const OtherSplit& other) {
  if (!other.is_data_parallel) return other.split + " (second in the search)";
  return other.split +
         (other.is_runner_up ? " (data parallelism, second in the search)" : " (data parallelism)");
}

std::string step_text(const OtherSplits& found, const OtherSplit& other) {
  const std::string own = ms(found.step_s);
  const std::string step = ms(other.step_s);
  if (step == own) return "the step would stay at " + own + " ms";
  return "the step would take " + step + " instead of " + own + " ms: " + costs_text(found, other);
}

std::string names_of(const std::vector<LayerIndex>& layers, const Plan& plan) {
  const std::string& first = plan.network.layer(layers.front()).name;
  const std::size_t others = layers.size() - 1;
  if (others == 0) return first + " alone";
  if (others == 1) return first + " and the layer split with it";
  return first + " and the " + std::to_string(others) + " layers split with it";
}

// Names layers that have the same reason.
std::string equal_text(const std::vector<LayerIndex>& heads, const Plan& plan) {
  constexpr std::size_t most_named = 2;
  if (heads.empty()) return "";
  const std::size_t named = heads.size() <= most_named + 1 ? heads.size() : most_named;
  std::string text = " Equal layers have equal reasons: ";
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == heads.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    text += plan.network.layer(heads[i]).name;
  }
  const std::size_t left = heads.size() - named;
  return text + (left == 0 ? "." : " and " + std::to_string(left) + " more.");
}

std::string text_of(NoOtherSplits none) {
  switch (none) {
    case NoOtherSplits::one_rank:
      return "One rank has all layers whole.";
    case NoOtherSplits::split_by_layers:
      return "The plan splits the network by layers, so no layer alone can have another split.";
    case NoOtherSplits::sample_blocks:
      return "The plan adds over blocks of samples, so no layer can have another split.";
  }
  return "";
}

}  // namespace

std::string to_text(const OtherSplits& found, const OtherSplitsOfUnits& units, const Plan& plan) {
  const std::string& head = plan.network.layer(units.layers.front()).name;
  if (units.others.empty()) return "The plan knows no other split of " + head + " to compare.";
  std::string text;
  bool any_shorter = false;
  for (const OtherSplit& other : units.others) {
    const bool is_first = text.empty();
    text += (is_first ? "With " : " With ") + split_text(other);
    text += is_first ? " for " + names_of(units.layers, plan) + ", " : ", ";
    text += step_text(found, other) + memory_text(found, other, plan) + '.';
    any_shorter = any_shorter || (other.fits && other.step_s < found.step_s &&
                                  ms(other.step_s) != ms(found.step_s));
  }
  if (any_shorter) text += " The search adds operations up without waits, and missed this plan.";
  return text + equal_text(units.equal_heads, plan);
}

std::string missing_text(const OtherSplits& found) {
  if (found.none) return text_of(*found.none);
  if (found.is_complete) return "";
  return "To save time, reasons are given for the layers that take longest and for changes of the "
         "split. cnnplan explain --layer gives the reason for any layer.";
}

}  // namespace cnnplan
