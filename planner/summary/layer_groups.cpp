// Compares the splits of neighbours.
#include "planner/summary/layer_groups.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

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

// Says what stands between the words of a split.
struct Separators {
  std::string_view of_axes;
  std::string_view of_size;  // between an axis and its size
};

std::string words_of(const LayerPlan& layer, int ranks, const Separators& between) {
  const std::span<const MeshAxis> axes = layer.mesh.axes();
  if (axes.empty()) return "on one rank";
  if (axes.size() == 1 && axes.front().axis == Axis::r) {
    return "alike on all " + std::to_string(ranks) + " ranks";
  }
  std::string text;
  for (const MeshAxis& axis : axes) {
    const std::string size = std::to_string(axis.size);
    if (!text.empty()) text += between.of_axes;
    if (axis.axis == Axis::r) {
      text.append(size).append(" copies");
    } else {
      text.append(noun_of(axis.axis)).append(between.of_size).append(size);
    }
  }
  return axes.size() == 1 ? text + " ranks" : text;
}

constexpr Separators usual{.of_axes = ", ", .of_size = " over "};

}  // namespace

std::string split_words(const LayerPlan& layer, int ranks) {
  return words_of(layer, ranks, usual);
}

std::string short_split_words(const LayerPlan& layer, int ranks) {
  constexpr Separators brief{.of_axes = " x ", .of_size = " "};
  return words_of(layer, ranks, layer.mesh.axes().size() == 1 ? usual : brief);
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
    std::string words = split_words(layer, plan.ranks);
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const SplitCount& count) {
      return count.words == words;
    });
    if (known == counts.end()) {
      counts.push_back({.words = std::move(words),
                        .short_words = short_split_words(layer, plan.ranks),
                        .layers = 1});
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
