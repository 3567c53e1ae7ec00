// Reads and writes tensor files with Hdf5File.
#include "executor/hdf5/weights_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/writable_file.hpp"

namespace cnnplan {

std::string tensor_name(std::string_view layer, std::string_view tensor) {
  std::string name = "/";
  name.append(layer).append("/").append(tensor);
  return name;
}

std::vector<std::int64_t> stored_extents(const Shape& shape) {
  std::vector<std::int64_t> extents;
  for (Dim dim : all_dims) {
    if (dim != Dim::d || shape[dim] > 1) extents.push_back(shape[dim]);
  }
  return extents;
}

Selection stored_selection(const Shape& shape, const Box& block) {
  Selection selection;
  for (Dim dim : all_dims) {
    if (dim == Dim::d && shape[dim] == 1) continue;
    selection.start.push_back(block[dim].begin);
    selection.count.push_back(block[dim].size());
  }
  return selection;
}

namespace {

// Follows symbolic links, and returns the file that finish() replaces.
std::string replaceable(const std::string& file) {
  require_replaceable_file(file);
  return file_exists(file) ? behind_links(file) : file;
}

}  // namespace

TensorFileWriter::TensorFileWriter(const std::string& file)
    : file_(replaceable(file)),
      partial_(file_ + "." + std::to_string(getpid()) + ".partial"),
      hdf5_(Hdf5File::create(partial_)) {}

TensorFileWriter::~TensorFileWriter() {
  if (finished_) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void TensorFileWriter::write(const std::string& name,
                             std::span<const std::int64_t> extents,
                             std::span<const double> values,
                             Precision precision) {
  hdf5_.write(name, extents, values, precision);
}

Hdf5Dataset TensorFileWriter::create(const std::string& name,
                                     std::span<const std::int64_t> extents,
                                     Precision precision) {
  return hdf5_.create_dataset(name, extents, precision);
}

void TensorFileWriter::finish() {
  hdf5_.close();
  std::error_code error;
  std::filesystem::rename(partial_, file_, error);
  if (error) throw IoError(file_ + ": cannot rename " + partial_ + ": " + error.message());
  finished_ = true;
}

Hdf5Dataset TensorFileReader::checked(const std::string& name,
                                      std::span<const std::int64_t> extents) const {
  InputProblem problem{.file = hdf5_.file(),
                       .pointer = name,
                       .value = "no such dataset",
                       .allowed = "float32 or float64 " + extents_text(extents)};
  std::optional<Hdf5Dataset> dataset = hdf5_.find(name);
  if (!dataset) throw InputError(problem);
  const std::vector<std::int64_t>& found = dataset->extents();
  const bool is_real =
      dataset->element() == FileElement::fp32 || dataset->element() == FileElement::fp64;
  if (!is_real || !std::equal(found.begin(), found.end(), extents.begin(), extents.end())) {
    problem.value = to_text(dataset->element()) + " " + extents_text(found);
    throw InputError(problem);
  }
  return std::move(*dataset);
}

std::vector<double> TensorFileReader::read(const std::string& name,
                                           std::span<const std::int64_t> extents) const {
  return checked(name, extents).read_all();
}

std::vector<double> TensorFileReader::read(const std::string& name,
                                           std::span<const std::int64_t> extents,
                                           const Selection& block) const {
  const Hdf5Dataset dataset = checked(name, extents);
  std::vector<double> values(element_count(block.count));
  if (!values.empty()) dataset.read(block, FileElement::fp64, values.data());
  return values;
}

}  // namespace cnnplan
