// Writes the tables of `--what-if`: predictions on both machines, and layers whose split changes.
#include "planner/report/what_if_text.hpp"

#include "planner/base/bytes_text.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// Returns how many times as fast as `before` the plan is: "1.25".
std::string speedup(const Plan& plan, const Plan& before) {
  if (plan.prediction.step_s <= 0.0) return "-";
  return fixed(before.prediction.step_s / plan.prediction.step_s, 3);
}

std::string memory_text(const MemoryUse& memory) {
  const std::int64_t bytes = memory.total_bytes();
  const bool fits = memory.available_bytes <= 0 || bytes <= memory.available_bytes;
  return bytes_text(bytes) + (fits ? "" : ", does not fit");
}

std::string steps_table(const WhatIfPlans& plans) {
  Table table({{"", Align::left}, {"step"}, {"speedup"}, {"exposed"}, {"memory"}});
  const auto add = [&](const std::string& name, const Plan& plan) {
    const Prediction& prediction = plan.prediction;
    table.add_row({name,
                   duration(prediction.step_s),
                   speedup(plan, plans.before),
                   duration(prediction.exposed_communication_s),
                   memory_text(prediction.memory)});
  };
  add("the machine as it is", plans.before);
  add("changed, the same plan", plans.kept);
  add("changed, planned anew", plans.after);
  return table.to_text();
}

// Returns text such as "n2c4 stationary_x" or "h2, computed again".
std::string choice_of(const Plan& plan, LayerIndex layer) {
  const LayerPlan& choice = plan.layers.at(layer);
  return to_text(choice.split()) + (choice.recompute ? ", computed again" : "");
}

std::string changed_layers(const WhatIfPlans& plans, std::size_t columns) {
  Table table({{"layer", Align::left}, {"split", Align::left}, {"planned anew", Align::left}});
  int changed = 0;
  const Network& network = plans.before.network;
  for (const LayerIndex layer : network.layers().indices()) {
    const std::string before = choice_of(plans.before, layer);
    const std::string after = choice_of(plans.after, layer);
    if (before == after) continue;
    ++changed;
    table.add_row({network.layer(layer).name, before, after});
  }
  if (changed == 0) return "no layer is split otherwise\n";
  return std::to_string(changed) + " of " + std::to_string(network.layer_count()) +
         " layers are split otherwise\n" + table.to_text(columns);
}

}  // namespace

std::string to_text(const WhatIfPlans& plans, const std::string& change, std::size_t columns) {
  return indented("what if " + change, 0, columns) + '\n' + steps_table(plans) + '\n' +
         changed_layers(plans, columns);
}

}  // namespace cnnplan
