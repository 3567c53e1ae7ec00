// Follows the nodes of a norm backwards from its division.
#include "planner/import/onnx/layer_norms.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

constexpr const char* layer_norm = "LayerNormalization";

// Holds the number of inputs that the node of a norm has at first: the image.
constexpr std::size_t image_alone = 1;

struct Norm {
  std::string image;
  std::int64_t axis = -1;
};

class NormFinder {
 public:
  explicit NormFinder(const OnnxGraph& graph) : graph_(graph) {
    for (const OnnxNode& node : graph.nodes) {
      for (const std::string& output : node.outputs) makers_.emplace(output, &node);
    }
  }

  // Returns the norm that ends with this node.
  std::optional<Norm> norm_of(const OnnxNode& division) const;

 private:
  // Returns the node of this type that makes input `index` of `user`. Null if there is none, or
  // `user` is null.
  const OnnxNode* maker(const OnnxNode* user, std::size_t index, const char* type) const;
  // Returns the mean of one axis over an input of `user`, with that axis as a dim of 1.
  const OnnxNode* mean(const OnnxNode* user, std::size_t index) const;
  bool is_two(const std::string& value) const;

  const OnnxGraph& graph_;
  std::map<std::string, const OnnxNode*> makers_;
};

template <typename T>
std::optional<T> attribute(const OnnxNode& node, const std::string& name) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return std::nullopt;
  const T* const value = std::get_if<T>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

using Axes = std::vector<std::int64_t>;

const OnnxNode* NormFinder::maker(const OnnxNode* user, std::size_t index, const char* type) const {
  if (user == nullptr || index >= user->inputs.size()) return nullptr;
  const auto found = makers_.find(user->inputs[index]);
  const bool is_right = found != makers_.end() && found->second->type == type;
  return is_right && found->second->domain.empty() ? found->second : nullptr;
}

const OnnxNode* NormFinder::mean(const OnnxNode* user, std::size_t index) const {
  const OnnxNode* const node = maker(user, index, "ReduceMean");
  if (node == nullptr || node->inputs.size() != 1) return nullptr;
  const auto axes = attribute<Axes>(*node, "axes");
  const bool keeps = attribute<std::int64_t>(*node, "keepdims").value_or(1) == 1;
  return axes && axes->size() == 1 && keeps ? node : nullptr;
}

bool NormFinder::is_two(const std::string& value) const {
  TensorPointer tensor;
  if (const auto found = graph_.initializers.find(value); found != graph_.initializers.end()) {
    tensor = found->second;
  } else if (const auto made = makers_.find(value); made != makers_.end()) {
    tensor = attribute<TensorPointer>(*made->second, "value").value_or(nullptr);
  }
  if (!tensor || element_count(*tensor) != 1) return false;
  try {
    return reals_of(*tensor) == std::vector<double>{2.0};
  } catch (const UnmappedNode&) {
    return false;  // The node that reads it is refused where it is mapped.
  }
}

// A norm is (x - mean) / sqrt(mean of (x - mean)^2 + epsilon).
std::optional<Norm> NormFinder::norm_of(const OnnxNode& division) const {
  if (division.type != "Div" || division.inputs.size() != 2) return std::nullopt;
  const OnnxNode* const difference = maker(&division, 0, "Sub");
  const OnnxNode* const own_mean = mean(difference, 1);
  const OnnxNode* const variance = mean(maker(maker(&division, 1, "Sqrt"), 0, "Add"), 0);
  const OnnxNode* const square = maker(variance, 0, "Pow");
  if (own_mean == nullptr || square == nullptr || square->inputs.size() != 2) return std::nullopt;
  const std::string& image = difference->inputs[0];
  const bool is_of_one = own_mean->inputs[0] == image && square->inputs[0] == division.inputs[0];
  const auto axes = attribute<Axes>(*own_mean, "axes");
  const bool is_along_one = axes == attribute<Axes>(*variance, "axes");
  if (!is_of_one || !is_along_one || !is_two(square->inputs[1])) return std::nullopt;
  return Norm{.image = image, .axis = axes->front()};
}

// Returns the names of all initializers and of their copies. PyTorch stores equal parameters of a
// model in eval mode once, and copies them by Identity.
std::set<std::string> parameters_of(const OnnxGraph& graph) {
  std::set<std::string> parameters;
  for (const auto& [name, tensor] : graph.initializers) parameters.insert(name);
  for (const OnnxNode& node : graph.nodes) {
    const bool copies = node.type == "Identity" && node.inputs.size() == 1 &&
                        parameters.contains(node.inputs.front());
    if (copies) parameters.insert(node.outputs.begin(), node.outputs.end());
  }
  return parameters;
}

// Returns the position of the input that is no parameter where the other one is. Else nothing.
std::optional<std::size_t> input_with_parameter(const std::set<std::string>& parameters,
                                                const OnnxNode& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const bool other = parameters.contains(node.inputs[1 - i]);
    if (other && !parameters.contains(node.inputs[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

OnnxGraph with_layer_norms(OnnxGraph graph) {
  const OnnxGraph before = graph;
  const NormFinder finder(before);
  const std::set<std::string> parameters = parameters_of(before);
  std::map<std::string, OnnxNode> norms;  // by output
  const auto replace = [&norms](OnnxNode& node, OnnxNode norm) {
    norm.name = node.name;
    norm.type = layer_norm;
    norm.outputs = node.outputs;
    if (!node.outputs.empty()) norms[node.outputs.front()] = norm;
    node = std::move(norm);
  };
  for (OnnxNode& node : graph.nodes) {
    if (const auto norm = finder.norm_of(node)) {
      OnnxNode made;
      made.inputs = {norm->image};
      made.attributes = {{"axis", norm->axis}};
      replace(node, std::move(made));
      continue;
    }
    const auto input = input_with_parameter(parameters, node);
    const auto found = input ? norms.find(node.inputs[*input]) : norms.end();
    if (found == norms.end()) continue;
    const std::size_t inputs = found->second.inputs.size();
    const bool is_scale = node.type == "Mul" && inputs == image_alone;
    const bool is_shift = node.type == "Add" && inputs == image_alone + 1;
    if (!is_scale && !is_shift) continue;
    OnnxNode made = found->second;
    made.inputs.push_back(node.inputs[1 - *input]);
    replace(node, std::move(made));
  }
  return graph;
}

}  // namespace cnnplan
