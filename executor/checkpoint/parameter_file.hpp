// Loads parameters from HDF5 files, and dumps results for comparison with other programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"

namespace cnnplan {

// Sets all parameters and running values from an HDF5 file with the datasets
// `/<layer>/weight|bias|scale|shift|mean|variance`. Every rank reads its blocks of the file. This
// call is not collective.
// @throws IoError; InputError that names a dataset which is missing, has another shape or a type
// other than float32 and float64, or has variances below 0 or values that are not finite in the
// plan's precision
void load_parameters(const std::string& file, const Network& network, ParameterStore& store);

// Replaces the running values on all ranks by their average over ranks, weighted by how many
// elements each rank normalised. This call is collective.
void average_running_values(ParameterStore& store, const Plan& plan, const Communicator& world);

// Refers to what a training leaves behind for a dump.
struct LastStep {
  const ParameterStore& store;
  const StepRunner* runner;  // null if no step was run
  const Schedule& schedule;  // that `runner` ran
  double loss_scale = 1.0;   // by which gradients are divided
};

// Describes a tensor of a dump.
struct DumpedTensor {
  enum class Kind { weight, gradient, running_mean, running_variance, output, loss };
  std::string name;                   // of the dataset: "/conv1/weight_gradient"
  std::vector<std::int64_t> extents;  // as the file stores them; {1} for the loss
  Kind kind = Kind::weight;           // `weight` also stands for bias, scale and shift
  std::int64_t elements() const;
};

// Lists everything that dump() writes, in its order. @pre `schedule` belongs to a rank of `plan`
std::vector<DumpedTensor> dumped_tensors(const Plan& plan, const Schedule& schedule);

// Writes the parameters, their gradients in the last step (`/<layer>/<parameter>_gradient`) without
// the loss scale, and the running values. It also writes the output of the layer before the loss in
// global index order, and `/loss`. If no step was run, only parameters and running values are
// written. Rank 0 writes the file. This call is collective.
// @throws IoError on rank 0 only; the other ranks then wait in a collective call until
// run_program() ends all ranks
void dump(const std::string& file,
          const Plan& plan,
          const LastStep& step,
          const Communicator& world);

}  // namespace cnnplan
