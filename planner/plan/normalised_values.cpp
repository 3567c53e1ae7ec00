// Multiplies the smallest blocks of the dims over which a batch norm sums.
#include "planner/plan/normalised_values.hpp"

#include <algorithm>
#include <variant>

#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"
#include "planner/network/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr Axis axes_of_values[] = {Axis::n, Axis::d, Axis::h, Axis::w};

// True if ranks along this axis normalise together.
bool is_shared(Axis axis, BatchNormStatistics statistics) {
  if (statistics == BatchNormStatistics::local) return false;
  return statistics == BatchNormStatistics::global || axis != Axis::n;
}

// Returns the extent of the smallest block that is not empty. Extents of blocks differ by one.
std::int64_t smallest_block(std::int64_t extent, int parts) {
  return std::max<std::int64_t>(1, extent / parts);
}

std::int64_t values_of_channel(const Shape& output) {
  return volume(output) / output[Dim::c];
}

// Returns the first batch norm that normalises this number of values on some rank.
std::optional<LayerIndex> norm_of_values(const Plan& plan, std::int64_t values) {
  for (const LayerIndex layer : plan.network.layers().indices()) {
    const bool is_norm = std::holds_alternative<BatchNorm>(plan.network.layer(layer).parameters);
    if (is_norm && least_normalised_values(plan, layer) == values) return layer;
  }
  return std::nullopt;
}

std::string name_of(const Plan& plan, LayerIndex layer) {
  const LayerPlan& own = plan.layers[layer];
  return "the batch norm \"" + plan.network.layer(layer).name + "\" on " + to_text(own.mesh) +
         " with statistics " + std::string(to_text(own.statistics));
}

// Returns the option with which the batch norm has more than this number of values.
std::string more_values(const Plan& plan, LayerIndex layer, std::int64_t values) {
  const Shape output = plan.network.output_shape(layer, plan.batch);
  return values_of_channel(output) > values ? "solve --batch-norm global" : "a larger --batch";
}

}  // namespace

std::int64_t least_normalised_values(const Plan& plan, LayerIndex layer) {
  const Shape output = plan.network.output_shape(layer, plan.batch);
  const LayerPlan& own = plan.layers[layer];
  std::int64_t values = 1;
  for (const Axis axis : axes_of_values) {
    const std::int64_t extent = output.extents[static_cast<std::size_t>(axis)];
    const int parts = is_shared(axis, own.statistics) ? 1 : own.mesh.size(axis);
    values = checked_multiply(values, smallest_block(extent, parts));
  }
  return values;
}

std::optional<LayerIndex> single_value_norm(const Plan& plan) {
  return norm_of_values(plan, 1);
}

InputProblem single_value_problem(const Plan& plan, LayerIndex layer, const std::string& file) {
  return {.file = file,
          .pointer = "/layers/" + std::to_string(layer),
          .value = name_of(plan, layer) + ", which normalises a single value of each channel",
          .allowed = "at least two values in training, as with " + more_values(plan, layer, 1)};
}

std::string two_values_note(const Plan& plan) {
  const std::optional<LayerIndex> layer = norm_of_values(plan, 2);
  if (!layer) return "";
  return name_of(plan, *layer) +
         " normalises only two values of each channel, so a training may not stay finite; it has "
         "more values with " +
         more_values(plan, *layer, 2);
}

void require_trainable(const Plan& plan, const std::string& file) {
  if (const std::optional<LayerIndex> layer = single_value_norm(plan)) {
    throw InputError(single_value_problem(plan, *layer, file));
  }
}

}  // namespace cnnplan
