// Makes up one mini-batch of random numbers, which do not depend on how it is split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/random.hpp"
#include "executor/data/data_source.hpp"

namespace cnnplan {

// Samples and targets are roughly normal (mean 0, variance 1), and labels are uniform. All values
// depend only on the seed and the global index, and every step repeats them. The block of this rank
// is made at the first read and kept.
class SyntheticData : public DataSource {
 public:
  SyntheticData(const BatchShape& batch, std::uint64_t seed) : batch_(batch), seed_(seed) {}

  std::int64_t sample_count() const override { return batch_.samples[Dim::n]; }
  std::int64_t step_count() const override { return 1; }
  std::int64_t valid_count(std::int64_t /*step*/) const override { return sample_count(); }
  bool is_constant() const override { return true; }
  void read_samples(std::int64_t step, const TensorView& samples) override;
  void read_labels(std::int64_t step, const TensorView& labels) override;

 private:
  struct Block {
    Box box;
    std::vector<std::byte> elements;  // dense, channels-last
  };
  // Copies roughly normal values for the block `target` of a tensor of shape `whole`. They are
  // drawn for `use` unless `kept` already has those of this block.
  template <typename T>
  void read_values(const TensorView& target, const Shape& whole, RandomUse use, Block& kept);
  void read_classes(const TensorView& labels, Block& kept);

  BatchShape batch_;
  std::uint64_t seed_;
  Block samples_;
  std::vector<Block> labels_;  // one per loss block that was asked for
};

}  // namespace cnnplan
