// Blocks of stored samples, labels and targets, turned to channels-last.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/tensor_view.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/hdf5/hdf5_dataset.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// A dataset, and what its elements become.
struct ScaledDataset {
  Hdf5Dataset dataset;
  std::vector<Dim> dims;                    // of the dataset, n first; others have one element
  FileElement read_as = FileElement::fp32;  // uint8, int32 or fp32
  std::vector<double> scale;                // by channel: element = stored * scale + shift
  std::vector<double> shift;

  // (1, C, D, H, W) of one sample.
  Shape shape() const;
};

// Fills `target`, a block of one sample in indices of the window that `placement` lays over it;
// zeros where the window leaves the sample. May be called from several threads at once.
// @throws IoError; InputError where a value is not finite
void read_sample(const ScaledDataset& tensor,
                 std::int64_t index,
                 const Placement& placement,
                 const Shape& window,
                 BufferElement element,
                 const TensorView& target);

// Zeros.
void clear_block(BufferElement element, const TensorView& target);

}  // namespace cnnplan
