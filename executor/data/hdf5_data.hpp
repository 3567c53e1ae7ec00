// Reads samples and labels from an HDF5 file; each rank reads only its block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/comm/communicator.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/data/data_source.hpp"
#include "executor/data/sample_reader.hpp"
#include "executor/hdf5/hdf5_file.hpp"

namespace cnnplan {

// Says in which order samples are read. A shuffled order depends only on the seed and the pass, and
// drops the last partial mini-batch of a pass. A sequential order is the order of the file, and its
// last mini-batch may be partial.
struct SampleOrder {
  bool shuffled = true;
  std::uint64_t seed = 0;
};

// Says whether labels or targets are read. Without them the file need not have any, and all are 0.
enum class Labels { with, without };

// Reads mini-batches from one file.
//
// The file holds `/samples`: float32 or uint8 (then scaled by 1/255), (N, C, H, W) or (N, C, D, H,
// W). Its optional attributes `mean` and `std`, 1 or C values each, are subtracted and divided by
// after scaling.
//
// The file also holds `/labels`: uint8, int32 or int64; (N) for a loss per image, else (N, H, W) or
// (N, D, H, W). If the loss has targets, it holds `/targets` instead: float32; (N, C), (N, C, H, W)
// or (N, C, D, H, W).
//
// In shuffled order, augmentation moves samples, and moves labels or targets per position with
// them. In sequential order, windows lie in the middle.
class Hdf5Data : public DataSource {
 public:
  // Checks the whole file against the network. This call is collective over `communicator` and
  // blocks. If a rank cannot use the file, all ranks throw an Error with that exit code and
  // message.
  // @throws IoError, InputError with the dataset as pointer
  Hdf5Data(const std::string& file,
           const BatchShape& batch,
           const SampleOrder& order,
           const Communicator& communicator,
           Labels labels = Labels::with,
           const Augmentation& augmentation = {});

  std::int64_t sample_count() const override { return samples_->dataset.extents().front(); }
  std::int64_t step_count() const override;
  std::int64_t valid_count(std::int64_t step) const override;
  // Several threads may call these functions at once.
  void read_samples(std::int64_t step, const TensorView& samples) override;
  void read_labels(std::int64_t step, const TensorView& labels) override;

 private:
  // Opens and checks the datasets on this rank. It is not collective.
  void open(const std::string& file, Labels labels);
  std::int64_t batch_size() const { return batch_.samples[Dim::n]; }
  std::int64_t pass_of(std::int64_t step) const { return step / step_count(); }
  // Returns the index in the file of sample `n` of the mini-batch of `step`.
  std::int64_t file_index(std::int64_t step, std::int64_t n) const;
  WindowPlacement placement(std::int64_t step, std::int64_t sample) const;
  WindowPlacement label_placement(std::int64_t step, std::int64_t sample) const;
  template <typename Place>
  void read_block(std::int64_t step,
                  const ScaledDataset& tensor,
                  const Shape& window,
                  const TensorView& block,
                  const Place& place) const;
  BufferElement sample_element() const;
  BufferElement label_element() const;

  BatchShape batch_;
  SampleOrder order_;
  Augmentation augmentation_;
  // The constructor opens both.
  std::optional<Hdf5File> file_;
  std::optional<ScaledDataset> samples_;
  std::optional<ScaledDataset> labels_;  // or targets
};

}  // namespace cnnplan
