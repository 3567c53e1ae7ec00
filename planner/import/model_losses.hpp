// Says which outputs of a model have losses, and makes these losses.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "planner/import/import_onnx.hpp"
#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/auxiliary_outputs.hpp"

namespace cnnplan {

// Holds the kind of the losses, and the outputs that have one.
class ModelLosses {
 public:
  // Reads the options about outputs and losses. The main output is the one that the options name,
  // else the first of the graph.
  // @throws InputError for options that name an unknown loss, or one output twice, and for an
  // auxiliary text that has no name or no weight that losses can have
  ModelLosses(const OnnxGraph& graph, const ImportOptions& options);

  const std::string& main_output() const { return main_output_; }
  // Lists the names of all outputs with a loss, the main one last.
  std::vector<std::string> outputs() const;
  // True if the losses apply a softmax themselves, so that a model's last softmax is left out.
  bool have_softmax() const { return std::holds_alternative<SoftmaxCrossEntropy>(loss_); }
  // Checks that some node makes each of outputs(). @throws InputError
  void require_nodes(const OnnxGraph& graph, const std::string& file) const;
  // Returns a note about each output of the graph that has no loss.
  std::vector<std::string> notes(const OnnxGraph& graph) const;
  // Returns the losses, the main one last. `layer_of` returns the layer that makes an output, or
  // throws. @throws InputError when an auxiliary output has another shape than the main one
  std::vector<OutputLoss> losses(const std::function<LayerIndex(const std::string&)>& layer_of,
                                 const NetworkBuilder& network,
                                 const std::string& file) const;

 private:
  LayerParameters loss_;
  std::string main_output_;
  std::vector<AuxiliaryOutput> auxiliary_;
};

}  // namespace cnnplan
