// Where training gets its mini-batches from.
#pragma once

#include <cstdint>

#include "executor/backend/tensor_view.hpp"
#include "planner/model/network.hpp"

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
  // Fills this rank's blocks, given as boxes in global indices of the mini-batch; `samples` is in
  // the element of activations, `labels` is int32, or of targets that of parameters. Either may be
  // pitched or empty. Steps go on from pass to pass. Not collective.
  // @throws IoError
  virtual void read(std::int64_t step, const TensorView& samples, const TensorView& labels) = 0;
};

}  // namespace cnnplan
