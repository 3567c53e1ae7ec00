// Compares the splits of neighbours.
#include "planner/summary/layer_groups.hpp"

#include <algorithm>
#include <span>

namespace cnnplan {
namespace {

const char* noun_of(Axis axis) {
  switch (axis) {
    case Axis::n:
      return "samples";
    case Axis::c:
      return "channels";
    case Axis::d:
      return "depth";
    case Axis::h:
      return "height";
    case Axis::w:
      return "width";
    case Axis::r:
      return "copies";
    case Axis::l:
      return "layers";
  }
  return "";
}

}  // namespace

std::string split_words(const LayerPlan& layer, int ranks) {
  const std::span<const MeshAxis> axes = layer.mesh.axes();
  if (axes.empty()) return "on one rank";
  if (axes.size() == 1 && axes.front().axis == Axis::r) {
    return "alike on all " + std::to_string(ranks) + " ranks";
  }
  std::string text;
  for (const MeshAxis& axis : axes) {
    const std::string size = std::to_string(axis.size);
    text += text.empty() ? "" : ", ";
    text +=
        axis.axis == Axis::r ? size + " copies" : std::string(noun_of(axis.axis)) + " over " + size;
  }
  return axes.size() == 1 ? text + " ranks" : text;
}

std::vector<LayerGroup> layer_groups(const Plan& plan) {
  std::vector<LayerGroup> groups;
  for (const LayerIndex i : plan.layers.indices()) {
    std::string words = split_words(plan.layers[i], plan.ranks);
    if (!groups.empty() && groups.back().words == words) {
      groups.back().last = i;
    } else {
      groups.push_back({.first = i, .last = i, .words = std::move(words)});
    }
  }
  return groups;
}

std::vector<SplitCount> split_counts(const Plan& plan) {
  std::vector<SplitCount> counts;
  for (const LayerPlan& layer : plan.layers) {
    const std::string words = split_words(layer, plan.ranks);
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const SplitCount& count) {
      return count.words == words;
    });
    if (known == counts.end()) {
      counts.push_back({.words = words, .layers = 1});
    } else {
      ++known->layers;
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const SplitCount& a, const SplitCount& b) {
    return a.layers > b.layers;
  });
  return counts;
}

bool is_data_parallel(const Plan& plan) {
  const Mesh samples({{Axis::n, plan.ranks}});
  const Mesh copies({{Axis::r, plan.ranks}});
  bool any_samples = false;
  for (const LayerPlan& layer : plan.layers) {
    if (layer.mesh != samples && layer.mesh != copies) return false;
    any_samples = any_samples || layer.mesh == samples;
  }
  return any_samples;
}

}  // namespace cnnplan
