// Reads blocks of stored samples, labels and targets and converts them to channels-last.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/tensor_view.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/hdf5/hdf5_dataset.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Says which dataset to read and how its elements are scaled.
struct ScaledDataset {
  Hdf5Dataset dataset;
  std::vector<Dim> dims;  // dims of the dataset, n first; other dims have one element
  FileElement read_as = FileElement::fp32;  // uint8, int32, int64 or fp32
  std::vector<double> scale;                // by channel: element = stored * scale + shift
  std::vector<double> shift;

  // Returns the shape (1, C, D, H, W) of one sample.
  Shape shape() const;
};

// Fills `target` from the stored sample `index`. `target` is a block of one sample, in indices of
// the window of this shape that `placement` lays over the stored sample, and has elements of the
// type `element`. Elements where the window leaves the sample become zero. Several threads may call
// this at once.
// @throws IoError; InputError for a value that is not finite
void read_sample(const ScaledDataset& tensor,
                 std::int64_t index,
                 const WindowPlacement& placement,
                 const Shape& window,
                 BufferElement element,
                 const TensorView& target);

// Fills a block of elements of this type with zeros.
void clear_block(BufferElement element, const TensorView& target);

}  // namespace cnnplan
