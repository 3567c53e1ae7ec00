// Reads the values of parameters in the order in which layers store them.
#include <algorithm>
#include <cmath>

#include "planner/base/checked.hpp"
#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/printable.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

// Returns (columns, rows) from row-major (rows, columns).
std::vector<double> transposed(const std::vector<double>& values, std::size_t columns) {
  std::vector<double> result(values.size());
  const std::size_t rows = values.size() / columns;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      result[column * rows + row] = values[row * columns + column];
    }
  }
  return result;
}

// Applies the constants that followed the layer to the values in the file.
void apply_constants(const ImportedTensor& tensor, std::vector<double>& values) {
  const std::vector<double> one{1.0};
  const std::vector<double> zero{0.0};
  if (tensor.factors == one && tensor.offsets == zero) return;
  const auto at = [&](const std::vector<double>& numbers, std::size_t i) {
    return numbers[i / (values.size() / numbers.size())];
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] * at(tensor.factors, i) + at(tensor.offsets, i);
  }
}

// Other types than float64 are stored as float32.
bool are_finite_as_stored(const std::vector<double>& values, TensorType type) {
  return std::all_of(values.begin(), values.end(), [type](double value) {
    return std::isfinite(type == TensorType::float64 ? value : static_cast<float>(value));
  });
}

}  // namespace

std::vector<double> values_of(const ImportedTensor& tensor, const std::string& file) {
  try {
    std::vector<double> values = reals_of(*tensor.values);
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.extents) count = checked_multiply(count, extent);
    if (values.size() == 1) values.resize(count, values.front());
    if (tensor.is_transposed) values = transposed(values, tensor.extents.at(0));
    apply_constants(tensor, values);
    if (!are_finite_as_stored(values, tensor.values->type)) {
      throw UnmappedNode("'" + tensor.values->name + "' has a value that is not finite");
    }
    return values;
  } catch (const UnmappedNode& unmapped) {
    throw InputError({.file = file,
                      .pointer = '/' + tensor.layer + '/' + tensor.name,
                      .value = printable(unmapped.what()),
                      .allowed = "finite numbers in the file itself"});
  }
}

}  // namespace cnnplan
