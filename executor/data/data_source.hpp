// Where training gets its mini-batches from.
#pragma once

#include <cstdint>

#include "executor/backend/tensor_view.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// The global mini-batch that a network takes.
struct BatchShape {
  Shape samples;  // (N, C, D, H, W)
  Shape labels;   // (N, 1, D, H, W), one per position of the loss; of targets (N, C, ...)
  std::int64_t classes = 1;  // labels are in [0, classes)
  bool has_targets = false;  // real numbers that outputs are compared with, instead of labels
  Precision precision = Precision::fp32;
  bool operator==(const BatchShape&) const = default;
};
BatchShape batch_shape(const Network& network, std::int64_t batch, Precision precision);

class DataSource {
 public:
  virtual ~DataSource() = default;
  // Samples of one pass.
  virtual std::int64_t sample_count() const = 0;
  // Mini-batches of one pass.
  virtual std::int64_t step_count() const = 0;
  // Samples of the mini-batch of `step` that count. Fewer than the batch only in the last step of
  // a pass in sequential order: what follows them is filled with zeros.
  virtual std::int64_t valid_count(std::int64_t step) const = 0;
  // True when every step has the same mini-batch: a device with memory of its own keeps it.
  virtual bool is_constant() const { return false; }
  // Fill a block of this rank, given as box in global indices of the mini-batch, which may be
  // pitched or empty: samples in the element of activations; labels as int32, or targets in the
  // element of parameters. Steps go on from pass to pass. Not collective.
  // @throws IoError
  virtual void read_samples(std::int64_t step, const TensorView& samples) = 0;
  virtual void read_labels(std::int64_t step, const TensorView& labels) = 0;
};

}  // namespace cnnplan
