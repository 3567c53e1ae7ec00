// Parameters from and to HDF5 files, and dumps for comparison with other programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"

namespace cnnplan {

// `/<layer>/weight|bias|scale|shift|mean|variance`, all of them. Every rank reads the file.
// @throws IoError; InputError naming the dataset
void load_parameters(const std::string& file, const Network& network, ParameterStore& store);

// The average of the running values of all ranks, on all ranks, weighted by how many elements each
// rank normalised. Collective.
void average_running_values(ParameterStore& store, const Plan& plan, const Communicator& world);

// What a training leaves.
struct LastStep {
  const ParameterStore& store;
  const StepRunner* runner;  // null where no step was run
  const Schedule& schedule;
  double loss_scale = 1.0;
};

// A tensor of a dump.
struct DumpedTensor {
  enum class Kind { weight, gradient, running_mean, running_variance, output, loss };
  std::string name;
  std::vector<std::int64_t> extents;
  Kind kind = Kind::weight;
  std::int64_t elements() const;
};

// All that dump() writes, in its order. @pre `schedule` is that of a rank of `plan`
std::vector<DumpedTensor> dumped_tensors(const Plan& plan, const Schedule& schedule);

// Parameters, `/<layer>/<parameter>_gradient` of the last step without its loss scale, the output
// of the layer before the loss in global index order, and `/loss`; only the first of these where no
// step was run. Written by rank 0. Collective.
void dump(const std::string& file,
          const Plan& plan,
          const LastStep& step,
          const Communicator& world);

}  // namespace cnnplan
