// Collects the parameters of layers while a model is imported, and applies constants to them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/import/import_onnx.hpp"

namespace cnnplan {

// Holds the parameters of all layers that were read so far. NetworkBuilder has one.
class ImportedTensors {
 public:
  // Adds a parameter of a layer. A bias may have one number for all channels.
  // @throws UnmappedNode for another number of values than `extents` say, or when another layer has
  // this weight; InputError when that number overflows
  void add(LayerIndex layer, ImportedTensor tensor);
  // Multiplies the output of a layer by one factor, or by one per channel. The output is linear in
  // its weight and bias, or in its scale and shift. @throws UnmappedNode for too many constants
  void scale_output(LayerIndex layer, const std::vector<double>& factors);
  // Multiplies one parameter by factors, or adds offsets to it. Both lists have one number for all
  // elements, or one per index of the first extent.
  // @pre the layer has the parameter. @throws UnmappedNode for too many constants
  void scale(LayerIndex layer, std::string_view name, const std::vector<double>& factors);
  void shift(LayerIndex layer, std::string_view name, const std::vector<double>& offsets);
  // Drops all parameters of the layers with these names.
  void drop(const std::set<std::string>& layers);
  std::vector<ImportedTensor> take() && { return std::move(tensors_); }

 private:
  // Returns the tensor, or null if the layer has none.
  ImportedTensor* find(LayerIndex layer, std::string_view name);
  // Adds to taken_elements_. @throws UnmappedNode when all constants together are too many
  void charge(std::size_t elements);

  std::vector<ImportedTensor> tensors_;
  std::multimap<LayerIndex, std::size_t> tensors_of_layers_;
  std::set<const OnnxTensor*> weights_;
  std::size_t taken_elements_ = 0;
};

}  // namespace cnnplan
