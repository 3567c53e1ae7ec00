// The state of a training between two steps, in the files of a folder.
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

// What one rank wrote: slices one behind the other, little-endian.
struct CheckpointPart {
  std::string file;  // beside the checkpoint file, without folders
  std::int64_t bytes = 0;
  std::string sha256;
  bool operator==(const CheckpointPart&) const = default;
};

// A block of a tensor, row-major in a part.
struct StoredSlice {
  int part = 0;
  std::int64_t offset_bytes = 0;
  Box box;
  // Of running values, of which each rank has its own: how much of the output this rank normalised.
  double share = 1.0;
  bool operator==(const StoredSlice&) const = default;
};

struct StoredTensor {
  std::string name;  // "/conv1/weight", "/conv1/weight_momentum", "/bn1/mean"
  Shape shape;       // weights (F, C/groups, KD, KH, KW), others (1, 1, 1, 1, F)
  // Of running values one of each rank; of all others disjoint, together the tensor.
  std::vector<StoredSlice> slices;
  bool operator==(const StoredTensor&) const = default;
};
// "/bn1/mean", "/bn1/variance"
bool holds_running_values(const StoredTensor& tensor);

// Cycles of a chain that a gradient check raised.
struct RaisedCycles {
  LayerIndex first = 0;  // as in Multigrid
  LayerIndex last = 0;
  int cycles = 0;  // 0: its layers are run in order
  bool operator==(const RaisedCycles&) const = default;
};

struct Checkpoint {
  std::string plan_sha256;  // of its text
  Network network;
  std::int64_t batch = 1;
  // With these and the step, random numbers and the order of samples go on as they would have.
  std::uint64_t seed = 1;
  std::int64_t samples = 0;     // of one pass over the data
  std::int64_t step = 0;        // steps that are done
  std::int64_t generation = 0;  // counts the checkpoints of a folder; in the names of its parts
  double learning_rate = 0.0;
  double momentum = 0.0;
  double weight_decay = 0.0;
  double loss_scale = 1.0;
  std::optional<std::int64_t> crop;  // zeros around samples that windows were cut from
  bool mirror = false;               // half of the samples were
  int sample_blocks = 1;             // as in Plan: on which bits depend
  // As in RunReport, up to this step.
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

// JSON (schema cnnplan.checkpoint/1). @throws InputError
Checkpoint parse_checkpoint(std::string_view json, const std::string& file);
std::string to_json(const Checkpoint& checkpoint);

}  // namespace cnnplan
