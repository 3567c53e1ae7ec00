// Finds tensors by layer and name, and bounds the constants that they take in.
#include "planner/import/imported_tensors.hpp"

#include <algorithm>
#include <functional>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/onnx/value.hpp"

namespace cnnplan {
namespace {

// Combines vectors element by element. A vector of one element stands for any length.
template <typename Operation>
std::vector<double> combined(const std::vector<double>& a,
                             const std::vector<double>& b,
                             Operation operation) {
  std::vector<double> result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = operation(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return result;
}

}  // namespace

void ImportedTensors::add(LayerIndex layer, ImportedTensor tensor) {
  if (tensor.name == "weight" && !weights_.insert(tensor.values.get()).second) {
    throw UnmappedNode("another layer has the same weight '" + tensor.values->name +
                       "'; layers of a network share no weights");
  }
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.extents) count = checked_multiply(count, extent);
  const std::int64_t given = element_count(*tensor.values);
  const bool is_repeated = tensor.name == "bias" && given == 1;
  if (given != count && !is_repeated) {
    throw UnmappedNode("a " + tensor.name + ' ' +
                       dims_text(dims_of({tensor.values, tensor.is_transposed})) + " in place of " +
                       dims_text(tensor.extents));
  }
  tensors_of_layers_.emplace(layer, tensors_.size());
  tensors_.push_back(std::move(tensor));
}

ImportedTensor* ImportedTensors::find(LayerIndex layer, std::string_view name) {
  const auto [begin, end] = tensors_of_layers_.equal_range(layer);
  for (auto own = begin; own != end; ++own) {
    if (tensors_[own->second].name == name) return &tensors_[own->second];
  }
  return nullptr;
}

// Constants cost no layer, so without a limit a small file could keep the import busy for long.
void ImportedTensors::charge(std::size_t elements) {
  constexpr std::size_t most_elements = std::size_t{1} << 24;
  taken_elements_ += elements;
  if (taken_elements_ > most_elements) throw UnmappedNode("too many constants to take in");
}

void ImportedTensors::scale_output(LayerIndex layer, const std::vector<double>& factors) {
  for (const char* name : {"weight", "bias", "scale", "shift"}) {
    if (find(layer, name) != nullptr) scale(layer, name, factors);
  }
}

void ImportedTensors::scale(LayerIndex layer,
                            std::string_view name,
                            const std::vector<double>& factors) {
  ImportedTensor& tensor = *find(layer, name);
  tensor.factors = combined(tensor.factors, factors, std::multiplies<>());
  tensor.offsets = combined(tensor.offsets, factors, std::multiplies<>());
  charge(tensor.factors.size() + tensor.offsets.size());
}

void ImportedTensors::shift(LayerIndex layer,
                            std::string_view name,
                            const std::vector<double>& offsets) {
  ImportedTensor& tensor = *find(layer, name);
  tensor.offsets = combined(tensor.offsets, offsets, std::plus<>());
  charge(tensor.offsets.size());
}

void ImportedTensors::drop(const std::set<std::string>& layers) {
  std::erase_if(tensors_,
                [&](const ImportedTensor& tensor) { return layers.contains(tensor.layer); });
}

}  // namespace cnnplan
