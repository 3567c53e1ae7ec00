// Holds the state of a training between two steps, as the files of a folder keep it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/run/run.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Describes the file that one rank wrote: little-endian slices that follow each other without gaps.
struct CheckpointPart {
  std::string file;        // its name, in the folder of the checkpoint file
  std::int64_t bytes = 0;  // the size of the file
  std::string sha256;      // of its content, in lower-case hex
  bool operator==(const CheckpointPart&) const = default;
};

// Describes a block of a tensor, stored row-major in a part.
struct StoredSlice {
  int part = 0;                   // an index of Checkpoint::parts
  std::int64_t offset_bytes = 0;  // of the block in this part
  Box box;                        // global indices of the block
  // With running values, of which each rank has its own, this is the share of the output that the
  // rank normalised.
  double share = 1.0;
  bool operator==(const StoredSlice&) const = default;
};

// Describes a parameter, its momentum, or a running value of the network.
struct StoredTensor {
  std::string name;  // "/conv1/weight", "/conv1/weight_momentum", "/bn1/mean"
  Shape shape;       // weights as weight_shape(), others (1, 1, 1, 1, channels)
  // Running values have one slice for each rank. Other slices are disjoint and cover the tensor.
  std::vector<StoredSlice> slices;
  bool operator==(const StoredTensor&) const = default;
};
// True for tensors such as "/bn1/mean" and "/bn1/variance".
bool holds_running_values(const StoredTensor& tensor);

// Holds the cycles of a chain that a gradient check raised.
struct RaisedCycles {
  LayerIndex first;  // as in Multigrid
  LayerIndex last;
  int cycles = 0;  // 0: its layers are run in order
  bool operator==(const RaisedCycles&) const = default;
};

// Holds a checkpoint file.
struct Checkpoint {
  std::string plan_sha256;  // of the plan's text
  Network network;
  std::int64_t batch = 1;
  // With these values and the step, random numbers and the order of samples continue unchanged.
  std::uint64_t seed = 1;
  std::int64_t samples = 0;     // of the data, with those that a pass leaves out
  std::int64_t step = 0;        // steps that are done
  std::int64_t generation = 0;  // counts the checkpoints of a folder; in the names of its parts
  double learning_rate = 0.0;
  double momentum = 0.0;      // of SGD
  double weight_decay = 0.0;  // factor of the weights that is added to their gradients
  double loss_scale = 1.0;    // factor of the loss, so that small gradients do not round to zero
  std::optional<std::int64_t> crop;  // zeros around samples to be cropped; none: not cropped
  bool mirror = false;               // half of the samples were mirrored
  int sample_blocks = 1;             // as in Plan; bits depend on it
  // These values are as in RunReport, up to this step.
  std::vector<double> loss;
  std::vector<double> test_accuracy;
  std::vector<double> test_loss;
  std::vector<GradientCheck> gradient_checks;
  std::vector<RaisedCycles> raised_cycles;
  ElementType element = ElementType::fp32;  // of all tensors: fp32 or fp64
  std::vector<CheckpointPart> parts;        // by rank
  std::vector<StoredTensor> tensors;
  bool operator==(const Checkpoint&) const = default;
};

// Reads JSON of the schema cnnplan.checkpoint/1, and validates it (checkpoint_check.hpp).
// @throws InputError
Checkpoint parse_checkpoint(std::string_view json, const std::string& file);
// Returns the text of a checkpoint file.
std::string to_json(const Checkpoint& checkpoint);

}  // namespace cnnplan
