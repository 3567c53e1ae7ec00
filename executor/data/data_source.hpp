// Declares the interface through which training gets its mini-batches.
#pragma once

#include <cstdint>

#include "executor/backend/tensor_view.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Describes the global mini-batch that a network takes.
struct BatchShape {
  Shape samples;  // (N, C, D, H, W)
  Shape labels;   // (N, 1, D, H, W), one per position of the loss; targets are (N, C, ...)
  std::int64_t classes = 1;  // labels are in [0, classes)
  bool has_targets = false;  // the loss compares outputs with real numbers instead of labels
  Precision precision = Precision::fp32;
  bool operator==(const BatchShape&) const = default;
};
// Returns the shape of a mini-batch of `batch` samples of the network.
BatchShape batch_shape(const Network& network, std::int64_t batch, Precision precision);

// Gives each rank its blocks of the samples and labels of each step.
class DataSource {
 public:
  virtual ~DataSource() = default;
  // Returns the number of samples of the source. A pass in random order leaves out the last
  // samples, which do not fill a mini-batch.
  virtual std::int64_t sample_count() const = 0;
  // Returns the number of mini-batches of one pass.
  virtual std::int64_t step_count() const = 0;
  // Returns how many samples of the mini-batch of `step` are real. It is less than the batch only
  // in the last step of a pass in sequential order. Zeros fill the rest of the mini-batch.
  virtual std::int64_t valid_count(std::int64_t step) const = 0;
  // Returns true when every step has one and the same mini-batch, so that a GPU can keep it.
  virtual bool is_constant() const { return false; }
  // These functions fill a block of this rank, in global indices of the mini-batch. The block may
  // be empty, or have gaps in memory. Samples have the element type of activations. Labels are
  // int32, and targets have the element type of parameters. Step numbers continue from pass to
  // pass. The calls are not collective.
  // @throws IoError; InputError for a value in a file that is not finite
  virtual void read_samples(std::int64_t step, const TensorView& samples) = 0;
  virtual void read_labels(std::int64_t step, const TensorView& labels) = 0;
};

}  // namespace cnnplan
