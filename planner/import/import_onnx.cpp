// Maps nodes after the nodes that make their inputs, and collects the nodes that cannot be mapped.
#include "planner/import/import_onnx.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "planner/base/file.hpp"
#include "planner/import/folding/constant_folding.hpp"
#include "planner/import/model_losses.hpp"
#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/input_dims.hpp"
#include "planner/import/onnx/layer_norms.hpp"
#include "planner/import/onnx/live_nodes.hpp"
#include "planner/import/onnx/printable.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"
#include "planner/import/planned_operators.hpp"

namespace cnnplan {
namespace {

// Returns "resnet50" for "models/resnet50.onnx".
std::string network_name(const std::string& file) {
  const std::string name = base_name(file);
  const std::string stem = name.substr(0, name.rfind('.'));
  return printable(stem.empty() ? name : stem);
}

// Says what is known about the output of a node whose inputs are unknown.
Unknown unknown_of(const NodeReader& reader) {
  const std::string& type = reader.node().type;
  return {.is_activation = type != "Shape" && type != "Constant" && reader.has_activation()};
}

// Names the parameter of a layer that is wrong: "its padding: ". Empty if the pointer names none.
std::string parameter_text(const std::string& pointer, bool has_zeros_around) {
  constexpr std::string_view layers = "/layers/";
  const std::size_t slash =
      pointer.starts_with(layers) ? pointer.find('/', layers.size()) : std::string::npos;
  if (slash == std::string::npos) return "";
  const std::string key = pointer.substr(slash + 1);
  const bool has_both = has_zeros_around && key.starts_with("padding");
  return "its " + key + (has_both ? ", with the zeros of Pad nodes before it: " : ": ");
}

// True for a constant that only names the values of an input in another order, without a copy.
bool is_view_of_input(const NodeReader& reader, const Constant& constant) {
  for (std::size_t i = 0; i < reader.input_count(); ++i) {
    if (reader.has_input(i) && reader.constant(i).tensor == constant.tensor) return true;
  }
  return false;
}

// Counts the nodes that are only planned.
struct PlannedNodes {
  bool is_on = false;                 // as ImportOptions::planning
  bool could_take_a_refused = false;  // if it were on
  std::map<std::string, int> counts;  // by operator
};

class Importer {
 public:
  Importer(const OnnxGraph& graph, const std::string& file, const ImportOptions& options)
      : graph_(graph),
        file_(file),
        losses_(graph, options),
        live_(live_nodes(graph, losses_.outputs(), file)),
        names_of_outputs_(names_of_outputs(live_, losses_.outputs())),
        builder_(file, live_.uses),
        planned_{.is_on = options.planning, .counts = {}} {
    losses_.require_nodes(graph, file);
    set_inputs(options.input);
  }

  ImportedModel run();

 private:
  void set_inputs(const std::string& size);
  void map(const OnnxNode& node);
  std::vector<Value> outputs_of(const NodeReader& reader);
  std::vector<Value> outputs_with_kernels(const NodeReader& reader);
  void add_planning_note();
  Value folded(const NodeReader& reader);
  Value left_out_softmax(const NodeReader& reader);
  Value as_passed_on(const OnnxNode& node, Value value) const;
  void set_outputs(const OnnxNode& node, const std::vector<Value>& made);
  std::string output_problem(const Activation* output) const;
  const Activation& output_of_layer(const std::string& name) const;

  const OnnxGraph& graph_;
  const std::string& file_;
  ModelLosses losses_;
  LiveNodes live_;
  std::set<std::string> names_of_outputs_;
  NetworkBuilder builder_;
  Values values_;
  std::int64_t folded_elements_ = 0;
  bool has_too_many_constants_ = false;
  std::vector<Refusal> refusals_;
  PlannedNodes planned_;
  std::vector<std::string> notes_;
};

void Importer::set_inputs(const std::string& size) {
  for (const auto& [name, tensor] : graph_.initializers) values_.emplace(name, Constant{tensor});
  std::vector<const OnnxValue*> used;
  for (const OnnxValue& input : graph_.inputs) {
    if (live_.uses.contains(input.name)) used.push_back(&input);
  }
  if (used.size() != 1) {
    throw InputError({.file = file_,
                      .pointer = "",
                      .value = std::to_string(used.size()) + " inputs that the output '" +
                               printable(losses_.main_output()) + "' is made of",
                      .allowed = "one: samples"});
  }
  if (!used[0]->is_real) {
    throw InputError({.file = file_,
                      .pointer = "input '" + printable(used[0]->name) + '\'',
                      .value = "values that are no real numbers",
                      .allowed = "samples of real numbers"});
  }
  const OnnxValue& input = *used[0];
  values_.insert_or_assign(input.name,
                           builder_.add_input(input.name, input_dims(input, size, file_)));
}

// With planning, an element-wise operator that the layers with kernels refuse is only planned.
std::vector<Value> Importer::outputs_of(const NodeReader& reader) {
  const bool is_planned = planned_.is_on && !reader.is_input_unknown() && can_plan(reader);
  if (!is_planned) return outputs_with_kernels(reader);
  try {
    return outputs_with_kernels(reader);
  } catch (const UnmappedNode&) {
  } catch (const InputError&) {
  }
  const Value planned = map_planned(reader, builder_);
  ++planned_.counts[reader.node().type];
  return {planned};
}

std::vector<Value> Importer::outputs_with_kernels(const NodeReader& reader) {
  const OnnxNode& node = reader.node();
  if (!node.domain.empty()) throw UnmappedNode("an operator of the domain '" + node.domain + '\'');
  const bool is_softmax = node.type == "Softmax" || node.type == "LogSoftmax";
  const MapNode map_node = find_operator(node.type);
  if (!is_softmax && map_node == nullptr && !can_fold(node.type)) {
    throw UnmappedNode("no layer computes this");
  }
  const bool only_folds = map_node == nullptr && !is_softmax;
  if (only_folds && reader.has_activation()) throw UnmappedNode("computes with activations");
  if (reader.is_input_unknown()) {
    return std::vector<Value>(node.outputs.size(), unknown_of(reader));
  }
  std::vector<Value> made;
  if (can_fold(node.type) && are_inputs_constant(reader)) {
    made = {folded(reader)};
  } else {
    made = is_softmax ? std::vector<Value>{left_out_softmax(reader)} : map_node(reader, builder_);
  }
  reader.require_all_read();
  return made;
}

Value Importer::folded(const NodeReader& reader) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 22;  // all folded constants together
  Value value = fold(reader);
  const auto* const constant = std::get_if<Constant>(&value);
  if (constant != nullptr && !is_view_of_input(reader, *constant)) {
    folded_elements_ += element_count(*constant->tensor);
  }
  if (folded_elements_ <= most_elements) return value;
  if (std::exchange(has_too_many_constants_, true)) return Unknown{};  // reported once
  throw UnmappedNode("too many constants to compute, here and in later nodes");
}

// In older opsets, one softmax goes over all dims from the axis on.
Value Importer::left_out_softmax(const NodeReader& reader) {
  constexpr std::int64_t first_of_one_axis = 13;
  const OnnxNode& node = reader.node();
  if (node.outputs.empty() || !names_of_outputs_.contains(node.outputs[0])) {
    throw UnmappedNode("a softmax that is not the output");
  }
  if (!losses_.have_softmax()) {
    throw UnmappedNode("a softmax, which only the loss cross_entropy includes");
  }
  const Activation x = reader.activation(0);
  const bool is_of_one_axis = graph_.opset >= first_of_one_axis;
  const std::int64_t axis = reader.integer("axis", is_of_one_axis ? -1 : 1);
  const bool has_image =
      std::any_of(x.dims.begin() + 2, x.dims.end(), [](auto n) { return n > 1; });
  if (normal_axis(axis, x.dims.size()) != 1 || (has_image && !is_of_one_axis)) {
    throw UnmappedNode("a softmax over other dims than the channels");
  }
  notes_.push_back("left out " + printable(to_text(node)) + ": the loss has a softmax of its own");
  return x;
}

// If other nodes also use the input of a node that passes it on, the value no longer counts as the
// layer's own output.
Value Importer::as_passed_on(const OnnxNode& node, Value value) const {
  auto* const activation = std::get_if<Activation>(&value);
  if (activation == nullptr) return value;
  for (const std::string& input : node.inputs) {
    const auto found = values_.find(input);
    if (found == values_.end() || builder_.is_used_once(input)) continue;
    const auto* const source = std::get_if<Activation>(&found->second);
    if (source != nullptr && source->layer == activation->layer)
      activation->is_layer_output = false;
  }
  return value;
}

void Importer::set_outputs(const OnnxNode& node, const std::vector<Value>& made) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string& output = node.outputs[i];
    if (output.empty()) continue;
    const Value value = i < made.size() ? as_passed_on(node, made[i]) : Unknown{};
    const bool is_new = values_.emplace(output, value).second;
    if (!is_new) throw UnmappedNode("makes '" + output + "', which exists already");
    if (i >= made.size() && live_.uses.contains(output)) {
      throw UnmappedNode("its output '" + output + "' is used, which no layer computes");
    }
  }
}

void Importer::map(const OnnxNode& node) {
  const NodeReader reader(node, values_, graph_.opset);
  const auto refuse = [&](const std::string& reason) {
    const std::string output = node.outputs.empty() ? "" : node.outputs.front();
    planned_.could_take_a_refused |= !planned_.is_on && can_plan(reader);
    refusals_.push_back({node.name.empty() ? output : node.name, node.type, reason});
    const Unknown unknown{.is_activation = true};
    for (const std::string& own : node.outputs) values_.try_emplace(own, unknown);
  };
  try {
    set_outputs(node, outputs_of(reader));
  } catch (const UnmappedNode& unmapped) {
    refuse(unmapped.what());
  } catch (const InputError& error) {
    const InputProblem& problem = error.problem();
    refuse(parameter_text(problem.pointer, has_padded_input(reader)) + "got " + problem.value +
           "; allowed: " + problem.allowed);
  }
}

// Says why a value cannot be compared with labels. The text is empty if it can.
std::string Importer::output_problem(const Activation* output) const {
  if (output == nullptr || live_.nodes.empty()) return "no output of a layer";
  const std::string dims = dims_text(output->dims);
  if (output->has_margin()) {
    return "dims " + dims + ", with zeros of a Pad node that no convolution or pooling takes in";
  }
  if (output->is_channels_last) return "dims " + dims + ", channels last";
  const Shape& shape = builder_.shape(output->layer);
  if (is_plain(output->dims, shape)) return "";
  const std::size_t rank = shape[Dim::d] > 1 ? 5 : 4;
  return "dims " + dims + ", another view of an image " +
         dims_text(model_dims(shape, builder_.batch(), rank));
}

const Activation& Importer::output_of_layer(const std::string& name) const {
  const auto found = values_.find(name);
  const auto* const output =
      found == values_.end() ? nullptr : std::get_if<Activation>(&found->second);
  const std::string problem = output_problem(output);
  if (problem.empty()) return *output;
  throw InputError({.file = file_,
                    .pointer = "output '" + printable(name) + '\'',
                    .value = problem,
                    .allowed = "scores or values, (N, C) or (N, C, ...) of an image, as a layer "
                               "makes them; --main-output chooses another value"});
}

void Importer::add_planning_note() {
  if (planned_.counts.empty()) return;
  std::string text;
  for (const auto& [type, count] : planned_.counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + type;
  }
  notes_.push_back("only planned, as memory-bound layers: " + text +
                   "; their work is estimated, constants in them do not count as parameters, and "
                   "cnnexec cannot run them");
}

ImportedModel Importer::run() {
  for (const OnnxNode* node : live_.nodes) map(*node);
  if (!refusals_.empty()) {
    throw UnmappedNodes(file_,
                        std::move(refusals_),
                        planned_.could_take_a_refused
                            ? "cnnplan import --planning plans element-wise nodes "
                              "as memory-bound layers, which cnnexec cannot run"
                            : "");
  }
  add_planning_note();
  for (std::string& note : losses_.notes(graph_)) notes_.push_back(std::move(note));
  const auto layer_of = [this](const std::string& name) { return output_of_layer(name).layer; };
  Network network =
      builder_.network(network_name(file_), losses_.losses(layer_of, builder_, file_));
  notes_.insert(notes_.end(), builder_.notes().begin(), builder_.notes().end());
  return {.network = network, .tensors = std::move(builder_).tensors(), .notes = std::move(notes_)};
}

}  // namespace

ImportedModel import_onnx(const OnnxGraph& graph,
                          const std::string& file,
                          const ImportOptions& options) {
  if (!options.planning) return Importer(graph, file, options).run();
  const OnnxGraph fused = with_layer_norms(graph);
  return Importer(fused, file, options).run();
}

}  // namespace cnnplan
