// Makes the temporary folder, and writes the weights with which all steps begin.
#include "executor/verify/step_files.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>

#include "executor/backend/element.hpp"
#include "executor/comm/program.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

using Kind = DumpedTensor::Kind;

bool is_running_value(const DumpedTensor& tensor) {
  return tensor.kind == Kind::running_mean || tensor.kind == Kind::running_variance;
}

// Only weights of convolutions have several extents.
bool has_copy(const DumpedTensor& tensor) {
  return tensor.extents.size() > 1;
}

std::vector<double> first_running_values(const DumpedTensor& tensor,
                                         const std::optional<TensorFileReader>& given) {
  if (given) return given->read(tensor.name, tensor.extents);
  const double value = tensor.kind == Kind::running_variance ? 1.0 : 0.0;
  return std::vector<double>(tensor.elements(), value);
}

std::vector<double> first_weights(const DumpedTensor& tensor,
                                  const FirstState& state,
                                  const TensorFileReader& dump) {
  std::vector<double> values = dump.read(tensor.name, tensor.extents);
  double change = state.change;
  for (double& value : values) {
    value *= 1.0 + (change = -change);
    if (state.copies && has_copy(tensor)) {
      value = rounded(activation_element(state.precision), value);
    }
  }
  return values;
}

}  // namespace

TemporaryFolder::TemporaryFolder(const Communicator& world)
    : is_own_(world.rank() == 0), exceptions_(std::uncaught_exceptions()) {
  on_first_rank(world, [&] {
    path_ = (std::filesystem::temp_directory_path() / "cnnexec-verify-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw IoError(path_ + ": cannot make this folder");
  });
  path_ = world.broadcast(path_, 0);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  const bool is_failed = std::uncaught_exceptions() > exceptions_;
  if (is_own_ || is_failed) std::filesystem::remove_all(path_, ignored);
}

void write_first_state(const std::string& file,
                       const FirstState& state,
                       const std::vector<DumpedTensor>& tensors) {
  const TensorFileReader dump(state.dump);
  std::optional<TensorFileReader> given;
  if (!state.weights_file.empty()) given.emplace(state.weights_file);
  TensorFileWriter writer(file);
  for (const DumpedTensor& tensor : tensors) {
    if (tensor.kind != Kind::weight && !is_running_value(tensor)) continue;
    writer.write(tensor.name,
                 tensor.extents,
                 tensor.kind == Kind::weight ? first_weights(tensor, state, dump)
                                             : first_running_values(tensor, given),
                 Precision::fp64);
  }
  writer.finish();
}

}  // namespace cnnplan
