// Reads attributes and inputs of one node and checks their types. Every problem is an UnmappedNode.
// The reader remembers which attributes were read, so that no attribute is ignored by oversight.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"
#include "planner/import/onnx/value.hpp"

namespace cnnplan {

// Holds the values of the graph that were made so far, by name.
using Values = std::map<std::string, Value, std::less<>>;

// Gives access to one node and to the values of its inputs. Every function that returns an
// attribute or an input throws UnmappedNode if it has another type or, for inputs, is missing.
class NodeReader {
 public:
  // `node` and `values` must outlive the reader.
  NodeReader(const OnnxNode& node, const Values& values, std::int64_t opset)
      : node_(node), values_(values), opset_(opset) {}

  const OnnxNode& node() const { return node_; }
  // Returns the version of the standard operators that the model uses.
  std::int64_t opset() const { return opset_; }

  bool has(const std::string& attribute) const { return node_.attributes.contains(attribute); }
  // These functions return an attribute, or `absent` if the node does not have it.
  std::int64_t integer(const std::string& attribute, std::int64_t absent) const;
  float real(const std::string& attribute, float absent) const;
  std::string text(const std::string& attribute, const std::string& absent) const;
  // The result is empty if the attribute is absent.
  std::vector<std::int64_t> integers(const std::string& attribute) const;
  std::vector<float> reals(const std::string& attribute) const;
  // The tensor is null if the attribute is absent.
  TensorPointer tensor(const std::string& attribute) const;
  // Marks attributes that change nothing that layers compute.
  void has_no_effect(std::initializer_list<const char*> attributes) const;
  // Refuses attributes that nobody has read or marked.
  void require_all_read() const;

  // Counts inputs that are left out, too.
  std::size_t input_count() const { return node_.inputs.size(); }
  // Returns false for an input that is left out.
  bool has_input(std::size_t index) const;
  const Value& input(std::size_t index) const;
  bool is_constant(std::size_t index) const;
  // Returns true if some input depends on a node that could not be mapped.
  bool is_input_unknown() const;
  // Returns true if some input is certainly not a constant.
  bool has_activation() const;
  Constant constant(std::size_t index) const;
  // Returns an activation whose channels are dim 1. Refuses margins (zeros around it), and channels
  // in groups or last.
  Activation activation(std::size_t index) const;
  // Returns an activation. Refuses margins, but the channels may be in groups, or last.
  Activation view(std::size_t index) const;
  // Return the numbers of a constant input. The result is absent if the input is left out.
  std::optional<std::vector<std::int64_t>> integers_at(std::size_t index) const;
  std::optional<std::vector<double>> reals_at(std::size_t index) const;
  // Reads an attribute in older opsets, or an input in newer ones. Both at once are refused, and
  // the result is absent without either.
  std::optional<std::vector<std::int64_t>> integers_of_either(const std::string& attribute,
                                                              std::size_t index) const;

 private:
  template <typename T>
  T attribute_or(const std::string& name, T absent) const;

  const OnnxNode& node_;
  const Values& values_;
  std::int64_t opset_;
  // Reading changes nothing else, so it is const for all callers.
  mutable std::set<std::string, std::less<>> read_;
};

// These functions refuse an attribute with another value than `only`, which is the one that layers
// compute. A missing attribute passes. @throws UnmappedNode
void require_integer(const NodeReader& node, const std::string& attribute, std::int64_t only);
void require_text(const NodeReader& node, const std::string& attribute, const std::string& only);
// Refuses nodes that have both the attribute and the input that replaces it in newer opsets.
// @throws UnmappedNode
void refuse_both(const NodeReader& node, const std::string& attribute, std::size_t index);

// Returns an activation whose channels are in one dim, dim 1 or the last one, without a margin.
Activation in_any_layout(const NodeReader& node, std::size_t index);
// Returns true if no input is an activation or unknown. Inputs that are left out do not count.
bool are_inputs_constant(const NodeReader& node);
// Returns true if an input is an activation with zeros around it that no layer has taken as padding
// yet.
bool has_padded_input(const NodeReader& node);

// Returns an axis counted from the beginning, also for one counted from the end. `rank` is the
// number of dims. @throws UnmappedNode unless -rank <= axis < rank
std::size_t normal_axis(std::int64_t axis, std::size_t rank);

}  // namespace cnnplan
