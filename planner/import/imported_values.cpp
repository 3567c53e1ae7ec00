// Values of parameters in the order in which layers have them.
#include "planner/import/import_onnx.hpp"
#include "planner/import/printable.hpp"
#include "planner/import/tensor_values.hpp"
#include "planner/import/unmapped.hpp"

namespace cnnplan {
namespace {

// (columns, rows) of row-major (rows, columns).
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

}  // namespace

std::vector<double> values_of(const ImportedTensor& tensor, const std::string& file) {
  try {
    std::vector<double> values = reals_of(*tensor.values);
    if (!tensor.is_transposed) return values;
    return transposed(values, static_cast<std::size_t>(tensor.extents.at(0)));
  } catch (const UnmappedNode& unmapped) {
    throw InputError({.file = file,
                      .pointer = '/' + tensor.layer + '/' + tensor.name,
                      .value = printable(unmapped.what()),
                      .allowed = "real numbers in the file itself"});
  }
}

}  // namespace cnnplan
