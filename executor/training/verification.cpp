// Runs trainings of one step with learning rate 0, and compares their dumps.
#include "executor/training/verification.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "executor/comm/program.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_part_of_gradients = 0.01;
constexpr double most_always_allowed = 16.0;  // times the rounding of one element

// Rank 0 makes and removes the folder; all ranks know its path.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const Communicator& world) : is_own_(world.rank() == 0) {
    on_first_rank(world, [&] {
      path_ = (std::filesystem::temp_directory_path() / "cnnexec-verify-XXXXXX").string();
      if (mkdtemp(path_.data()) == nullptr) throw IoError(path_ + ": cannot make this folder");
    });
    path_ = world.broadcast(path_, 0);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (is_own_) std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_ + '/' + name; }

 private:
  bool is_own_;
  std::string path_;
};

TrainingOptions one_step(const TrainingOptions& options, const std::string& dump_file) {
  TrainingOptions step = options;
  step.steps = 1;
  step.epochs = 0;
  step.learning_rate = 0.0;
  step.test_file.clear();
  step.checkpoint_folder.clear();
  step.restart_folder.clear();
  step.gradient_check_period.reset();
  step.dump_file = dump_file;
  return step;
}

double norm(const std::vector<double>& values) {
  double squares = 0.0;
  for (double value : values) squares += value * value;
  return std::sqrt(squares);
}

double norm_of_difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a);
}

struct Compared {
  DumpedTensor tensor;
  double difference = 0.0;
  double reference = 0.0;  // norm of the reference
};

// Computes the smallest norm by which the difference of a gradient is divided, from its number of
// elements.
class GradientScale {
 public:
  explicit GradientScale(const std::vector<Compared>& all) {
    for (const Compared& one : all) {
      if (one.tensor.kind != DumpedTensor::Kind::gradient) continue;
      squares_ += one.reference * one.reference;
      elements_ += static_cast<double>(one.tensor.elements());
    }
  }
  double least_norm(const DumpedTensor& tensor) const {
    if (tensor.kind != DumpedTensor::Kind::gradient || elements_ == 0.0) return 0.0;
    const double part = static_cast<double>(tensor.elements()) / elements_;
    return least_part_of_gradients * std::sqrt(squares_ * part);
  }

 private:
  double squares_ = 0.0;
  double elements_ = 0.0;
};

std::vector<TensorDifference> differences(const std::vector<Compared>& all) {
  const GradientScale scale(all);
  std::vector<TensorDifference> result;
  for (const Compared& one : all) {
    const double by = std::max(one.reference, scale.least_norm(one.tensor));
    const double error = one.difference == 0.0 ? 0.0 : one.difference / by;
    result.push_back(
        {.name = one.tensor.name, .relative_error = std::isfinite(error) ? error : infinity});
  }
  std::stable_sort(
      result.begin(), result.end(), [](const TensorDifference& a, const TensorDifference& b) {
        return a.relative_error > b.relative_error;
      });
  return result;
}

// Returns the norm of the reference. For a running mean, it is at least the norm of the standard
// deviations, whose tensor follows in `tensors`.
double reference_norm(const TensorFileReader& file,
                      const std::vector<DumpedTensor>& tensors,
                      std::size_t index) {
  const DumpedTensor& tensor = tensors[index];
  const double own = norm(file.read(tensor.name, tensor.extents));
  if (tensor.kind != DumpedTensor::Kind::running_mean) return own;
  std::vector<double> deviations = file.read(tensors[index + 1].name, tensor.extents);
  for (double& value : deviations) value = std::sqrt(value);
  return std::max(own, norm(deviations));
}

bool is_running_value(const DumpedTensor& tensor) {
  return tensor.kind == DumpedTensor::Kind::running_mean ||
         tensor.kind == DumpedTensor::Kind::running_variance;
}

// Leaves out running values, which depend on earlier steps.
std::vector<DumpedTensor> of_one_step(std::vector<DumpedTensor> tensors) {
  std::erase_if(tensors, is_running_value);
  return tensors;
}

// Returns the relative rounding of an element of activations.
double rounding_of(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return 0x1p-53;
    case Precision::fp32:
      return 0x1p-24;
    case Precision::tf32:
    case Precision::fp16:
      return 0x1p-11;
    case Precision::bf16:
      break;
  }
  return 0x1p-8;
}

// Returns the smallest relative change that a weight keeps with either sign. In double, 1 + 2^-53
// rounds to 1, so one rounding is too little.
double least_change(Precision precision) {
  return precision == Precision::fp64 ? 0x1p-52 : rounding_of(precision);
}

// Writes a training's first state with weights changed by rounding, larger and smaller in turn.
void write_rounded(const std::string& from,
                   const std::string& to,
                   const std::vector<DumpedTensor>& tensors,
                   Precision precision) {
  const TensorFileReader reader(from);
  TensorFileWriter writer(to);
  for (const DumpedTensor& tensor : tensors) {
    const bool is_running = is_running_value(tensor);
    if (tensor.kind != DumpedTensor::Kind::weight && !is_running) continue;
    std::vector<double> values = reader.read(tensor.name, tensor.extents);
    double change = is_running ? 0.0 : least_change(precision);
    for (double& value : values) value *= 1.0 + (change = -change);
    writer.write(tensor.name, tensor.extents, values, precision);
  }
  writer.finish();
}

}  // namespace

Plan verified_plan(const Plan& plan, const std::function<void(const std::string& text)>& note) {
  Plan verified = plan;
  verified.multigrid.clear();
  if (!plan.multigrid.empty() && note) {
    note(
        "--verify runs the layers of chains in order; --check-gradient tells how far multigrid is "
        "from that");
  }
  bool changes = false;
  for (const LayerIndex i : plan.network.layers().indices()) {
    LayerPlan& layer = verified.layers[i];
    if (!std::holds_alternative<BatchNorm>(plan.network.layer(i).parameters)) continue;
    changes = changes || layer.statistics != BatchNormStatistics::global;
    layer.statistics = BatchNormStatistics::global;
  }
  if (changes && plan.ranks > 1 && note) {
    note("--verify lets batch norms normalise over all ranks, as one rank does");
  }
  return verified;
}

std::vector<TensorDifference> compare_dumps(const std::string& file,
                                            const std::string& reference_file,
                                            const std::vector<DumpedTensor>& tensors) {
  const TensorFileReader own(file);
  const TensorFileReader reference(reference_file);
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const DumpedTensor& tensor = tensors[i];
    if (tensor.kind == DumpedTensor::Kind::weight) continue;
    const double difference = norm_of_difference(own.read(tensor.name, tensor.extents),
                                                 reference.read(tensor.name, tensor.extents));
    compared.push_back({tensor, difference, reference_norm(reference, tensors, i)});
  }
  return differences(compared);
}

Verification verify(const Plan& plan,
                    const TrainingOptions& options,
                    const Communicator& world,
                    const TrainingCallbacks& callbacks) {
  const TemporaryFolder folder(world);
  const Plan verified = verified_plan(plan, world.rank() == 0 ? callbacks.note : nullptr);
  const TrainingCallbacks quiet{.placed = callbacks.placed, .note = callbacks.note};
  train(verified, one_step(options, folder.file("plan.h5")), world, quiet);
  Verification result;
  const Communicator self = Communicator::group(world, {world.rank()});
  on_first_rank(world, [&] {
    const Plan single = on_one_rank(verified);
    const std::vector<DumpedTensor> tensors = dumped_tensors(single, lower(single, 0));
    const std::string expected = folder.file("one.h5");
    train(single, one_step(options, expected), self, {});
    result.tensors = compare_dumps(folder.file("plan.h5"), expected, tensors);
    TrainingOptions rounded = one_step(options, folder.file("rounded.h5"));
    rounded.weights_file = folder.file("weights.h5");
    write_rounded(expected, rounded.weights_file, tensors, plan.precision);
    train(single, rounded, self, {});
    result.rounding =
        compare_dumps(rounded.dump_file, expected, of_one_step(tensors)).front().relative_error;
    constexpr double margin = 4.0;
    result.limit =
        margin * std::max(result.rounding, most_always_allowed * rounding_of(plan.precision));
  });
  return result;
}

}  // namespace cnnplan
