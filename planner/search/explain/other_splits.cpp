// Changes the split of one unit after the other, and predicts each changed plan.
#include "planner/search/explain/other_splits.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/base/parallel.hpp"
#include "planner/network/layer_signature.hpp"
#include "planner/plan/part_times.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/pricing/gather_choice.hpp"

namespace cnnplan {
namespace {

constexpr double large_share = 0.02;  // of the step

// Holds everything on which the price of a layer's split depends, apart from waits. Layers of
// repeated blocks have equal keys.
struct LayerKey {
  LayerParameters parameters;
  LayerPlan plan;
  std::vector<std::pair<LayerSignature, LayerPlan>> inputs;    // with the plans of the inputs
  std::vector<std::pair<LayerParameters, LayerPlan>> readers;  // with their own plans
  auto operator<=>(const LayerKey&) const = default;
};
using UnitKey = std::vector<LayerKey>;

LayerKey key_of(const Plan& plan, LayerIndex layer) {
  const Network& network = plan.network;
  LayerKey key{.parameters = network.layer(layer).parameters,
               .plan = plan.layers[layer],
               .inputs = {},
               .readers = {}};
  const std::vector<LayerIndex>& inputs = network.inputs_of(layer);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    key.inputs.emplace_back(signature_of(network, layer, i, plan.batch), plan.layers[inputs[i]]);
  }
  for (const LayerIndex reader : network.consumers_of(layer)) {
    key.readers.emplace_back(network.layer(reader).parameters, plan.layers[reader]);
  }
  return key;
}

// Holds units that are equal in everything on which the prices of their splits depend.
struct EqualUnits {
  std::vector<std::size_t> units;  // indices of search_units(), ascending
  double seconds = 0.0;            // the longest time that one of these units takes in the step
  bool matters = false;            // it takes a large share, or the split changes there
};

// True if the unit is split otherwise than an input.
bool changes_split(const Plan& plan, const SearchUnit& unit) {
  const auto differs = [&plan](LayerIndex layer) {
    const std::vector<LayerIndex>& inputs = plan.network.inputs_of(layer);
    return std::any_of(inputs.begin(), inputs.end(), [&](LayerIndex input) {
      return plan.layers[input].mesh != plan.layers[layer].mesh;
    });
  };
  return std::any_of(unit.layers.begin(), unit.layers.end(), differs);
}

// Returns the predicted seconds of all operations of each layer, by its name.
std::unordered_map<std::string_view, double> seconds_by_layer(const Prediction& prediction) {
  std::unordered_map<std::string_view, double> seconds;
  for (const PredictedOperation& operation : prediction.operations) {
    seconds[operation.place.layer] += operation.predicted_s;
  }
  return seconds;
}

std::vector<EqualUnits> equal_units(const Plan& plan, const std::vector<SearchUnit>& units) {
  const auto seconds = seconds_by_layer(plan.prediction);
  std::map<UnitKey, std::size_t> known;
  std::vector<EqualUnits> groups;
  for (std::size_t i = 0; i < units.size(); ++i) {
    UnitKey key;
    double unit_s = 0.0;
    for (const LayerIndex layer : units[i].layers) {
      key.push_back(key_of(plan, layer));
      const auto found = seconds.find(plan.network.layer(layer).name);
      if (found != seconds.end()) unit_s += found->second;
    }
    const auto [entry, is_new] = known.try_emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    EqualUnits& group = groups[entry->second];
    group.units.push_back(i);
    group.seconds = std::max(group.seconds, unit_s);
    group.matters = group.matters || unit_s >= large_share * plan.prediction.step_s ||
                    changes_split(plan, units[i]);
  }
  return groups;
}

std::optional<NoOtherSplits> why_none(const Plan& plan) {
  if (plan.ranks == 1) return NoOtherSplits::one_rank;
  if (is_split_by_layers(plan)) return NoOtherSplits::split_by_layers;
  if (plan.sample_blocks > 1) return NoOtherSplits::sample_blocks;
  return std::nullopt;
}

// Predicts other splits of the units of one plan.
class Alternatives {
 public:
  Alternatives(const Plan& plan, const PriceList& prices)
      : prices_(prices), margins_(plan.prediction.margins), plan_(plan) {
    plan_.prediction = {};
    units_ = search_units(plan.network);
    by_samples_ = split_choices(plan, {Axis::n}).units;
    const Prediction own = predict(plan_, prices);
    result_.step_s = own.step_s;
    result_.parts = parts_of(own);
    result_.memory_bytes = own.memory.total_bytes();
  }

  const std::vector<SearchUnit>& units() const { return units_; }

  // Adds equal units with their other splits, which are not predicted yet.
  // @returns how many predictions they need
  std::size_t add(const EqualUnits& group) {
    OtherSplitsOfUnits added{.layers = units_[group.units.front()].layers,
                             .equal_heads = {},
                             .equal_layers = {},
                             .others = others_of(group.units.front())};
    for (std::size_t i = 1; i < group.units.size(); ++i) {
      const SearchUnit& unit = units_[group.units[i]];
      added.equal_heads.push_back(unit.head());
      added.equal_layers.insert(added.equal_layers.end(), unit.layers.begin(), unit.layers.end());
    }
    result_.units.push_back(std::move(added));
    return result_.units.back().others.size();
  }

  // Predicts all added splits.
  OtherSplits predicted(bool is_complete) && {
    std::vector<std::pair<const OtherSplitsOfUnits*, OtherSplit*>> jobs;
    for (OtherSplitsOfUnits& units : result_.units) {
      for (OtherSplit& other : units.others) jobs.emplace_back(&units, &other);
    }
    parallel_for(jobs.size(),
                 [&](std::size_t i) { predict_split(*jobs[i].first, *jobs[i].second); });
    std::sort(result_.units.begin(), result_.units.end(), [](const auto& a, const auto& b) {
      return a.layers.front() < b.layers.front();
    });
    result_.is_complete = is_complete;
    return std::move(result_);
  }

 private:
  std::vector<OtherSplit> others_of(std::size_t unit) const {
    const LayerIndex head = units_[unit].head();
    const std::string own = to_text(plan_.layers[head].split());
    std::vector<OtherSplit> others;
    const std::string by_samples = to_text(by_samples_[unit].splits.front());
    if (by_samples != own) others.push_back({.split = by_samples, .is_data_parallel = true});
    const std::string second = runner_up_of(plan_.network.layer(head).name);
    if (second.empty() || second == own) return others;
    if (second == by_samples) {
      others.front().is_runner_up = true;
    } else {
      others.push_back({.split = second, .is_runner_up = true});
    }
    return others;
  }

  // Returns an empty text where none is known.
  std::string runner_up_of(const std::string& head) const {
    const auto found =
        std::find_if(margins_.begin(), margins_.end(), [&](const UnitMargin& margin) {
          return margin.layers.front() == head;
        });
    return found == margins_.end() ? "" : found->runner_up;
  }

  void predict_split(const OtherSplitsOfUnits& units, OtherSplit& other) const {
    const Split split = parse_split(other.split);
    const SplitChoices choice{.units = {{.unit = {units.layers}, .splits = {split}}}};
    Plan changed = plan_of(plan_, choice, {0});
    for (const LayerIndex layer : units.layers) {
      changed.layers[layer].halo = HaloMethod::exchange_first;
    }
    const std::string head = plan_.network.layer(units.layers.front()).name;
    changed = with_gathers(std::move(changed), prices_.platform());
    validate(changed, "the plan with " + other.split + " for " + head);
    const Prediction prediction = predict(changed, prices_);
    other.step_s = prediction.step_s;
    other.parts = parts_of(prediction);
    other.memory_bytes = prediction.memory.total_bytes();
    other.fits = fits(other.memory_bytes, prices_.platform().memory_bytes);
  }

  const PriceList& prices_;
  const std::vector<UnitMargin>& margins_;
  Plan plan_;
  std::vector<SearchUnit> units_;
  std::vector<UnitSplits> by_samples_;  // of each unit
  OtherSplits result_;
};

}  // namespace

OtherSplits other_splits(const Plan& plan, const PriceList& prices) {
  if (const std::optional<NoOtherSplits> none = why_none(plan)) return {.none = none};
  const std::int64_t one =
      std::int64_t{RankClasses::of(plan, prices.platform()).count()} * plan.network.layer_count();
  const std::int64_t most = most_predicted_layers / one - 1;  // besides the plan itself
  if (most < 1) return {.is_complete = false};
  Alternatives alternatives(plan, prices);
  std::vector<EqualUnits> groups = equal_units(plan, alternatives.units());
  std::stable_sort(groups.begin(), groups.end(), [](const EqualUnits& a, const EqualUnits& b) {
    return std::pair(a.matters, a.seconds) > std::pair(b.matters, b.seconds);
  });
  std::size_t count = 0;
  std::int64_t predictions = 0;
  while (count < groups.size() && predictions < most) {
    predictions += static_cast<std::int64_t>(alternatives.add(groups[count++]));
  }
  return std::move(alternatives).predicted(count == groups.size());
}

OtherSplits other_splits(const Plan& plan, const PriceList& prices, LayerIndex layer) {
  if (const std::optional<NoOtherSplits> none = why_none(plan)) return {.none = none};
  Alternatives alternatives(plan, prices);
  const std::vector<SearchUnit>& units = alternatives.units();
  const auto has_layer = [&](std::size_t unit) {
    const std::vector<LayerIndex>& layers = units[unit].layers;
    return std::find(layers.begin(), layers.end(), layer) != layers.end();
  };
  for (const EqualUnits& group : equal_units(plan, units)) {
    if (std::any_of(group.units.begin(), group.units.end(), has_layer)) alternatives.add(group);
  }
  return std::move(alternatives).predicted(true);
}

}  // namespace cnnplan
