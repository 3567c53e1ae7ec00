// Samples and labels from an HDF5 file, each rank only its block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/training/data_source.hpp"
#include "executor/training/hdf5_file.hpp"

namespace cnnplan {

// Shuffled: the order of a pass depends on seed and pass only, and its last partial mini-batch is
// dropped. Sequential: the order of the file, the last mini-batch may be partial.
struct SampleOrder {
  bool shuffled = true;
  std::uint64_t seed = 0;
};

// Labels or targets. Without them, the file need have none: all are 0.
enum class Labels { with, without };

// The file holds `/samples`, float32 or uint8 (then scaled by 1/255), (N, C, H, W) or
// (N, C, D, H, W), with optional attributes `mean` and `std` of 1 or C values that are subtracted
// and divided by after scaling; and `/labels`, uint8, int32 or int64, (N) for a loss per image,
// else (N, H, W) or (N, D, H, W), or, where the loss has targets, `/targets`, float32, (N, C),
// (N, C, H, W) or (N, C, D, H, W).
class Hdf5Data : public DataSource {
 public:
  // Checks the whole file against the network. Collective over `communicator`, blocking; all ranks
  // throw the same error.
  // @throws IoError, InputError with the dataset as pointer
  Hdf5Data(const std::string& file,
           const BatchShape& batch,
           const SampleOrder& order,
           const Communicator& communicator,
           Labels labels = Labels::with);

  std::int64_t sample_count() const override { return samples_.extents().front(); }
  std::int64_t step_count() const override;
  std::int64_t valid_count(std::int64_t step) const override;
  void read_samples(std::int64_t step, const TensorView& samples) override;
  void read_labels(std::int64_t step, const TensorView& labels) override;

 private:
  std::int64_t batch_size() const { return batch_.samples[Dim::n]; }
  // In the file, of the sample that stands `n` in the mini-batch of `step`.
  std::int64_t file_index(std::int64_t step, std::int64_t n) const;
  // By channel: element = stored * scale + shift.
  struct Scaling {
    std::vector<double> scale;
    std::vector<double> shift;
  };
  template <typename T>
  void read_real_samples(std::int64_t step, const TensorView& samples);
  template <typename T>
  void read_targets(std::int64_t step, const TensorView& targets);
  void read_classes(std::int64_t step, const TensorView& labels);
  // What was selected of one sample.
  template <typename Stored, typename T>
  void read_values(const Hdf5Dataset& dataset,
                   const Selection& selection,
                   const Scaling& scaling,
                   const TensorView& sample);

  BatchShape batch_;
  SampleOrder order_;
  Hdf5File file_;
  Hdf5Dataset samples_;
  std::optional<Hdf5Dataset> labels_;  // or targets
  Scaling sample_scaling_;
  Scaling target_scaling_;
  std::vector<std::byte> staging_;  // one sample's block as stored
};

}  // namespace cnnplan
