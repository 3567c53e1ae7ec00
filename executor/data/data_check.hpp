// Checks a data file against the network that is to train on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/data/data_source.hpp"
#include "executor/hdf5/hdf5_file.hpp"

namespace cnnplan {

inline constexpr const char* samples_name = "/samples";
inline constexpr const char* labels_name = "/labels";
inline constexpr const char* targets_name = "/targets";

// Dims in the order in which a data file stores them: (N, C, D, H, W) with D left out where it is
// 1, and without C for labels per pixel; (N) for labels per image, (N, C) for targets per image.
std::vector<Dim> stored_sample_dims(const BatchShape& batch);
std::vector<Dim> stored_label_dims(const BatchShape& batch);
std::vector<Dim> stored_target_dims(const BatchShape& batch);

// @throws InputError (pointer "/samples", "/labels" or "/targets") when the dataset is missing, has
// another type or shape, or too few samples.
Hdf5Dataset open_samples(const Hdf5File& file,
                         const BatchShape& batch,
                         std::int64_t least_samples,
                         const Augmentation& augmentation);
Hdf5Dataset open_labels(const Hdf5File& file, const BatchShape& batch, std::int64_t samples);
Hdf5Dataset open_targets(const Hdf5File& file, const BatchShape& batch, std::int64_t samples);

// The batch as a file holds it whose samples have that shape (1, C, D, H, W): labels and targets
// per position are as large as the samples where these are cropped.
// @throws InputError where they cannot be, or have no values in the padding
BatchShape stored_batch(const Hdf5File& file,
                        const BatchShape& batch,
                        const Shape& stored_sample,
                        const Augmentation& augmentation);

// The attribute `name` ("mean", "std") of the samples, by channel; `absent` where there is none.
// @throws InputError unless it holds 1 or C values, finite and above `lowest`.
std::vector<double> channel_attribute(const Hdf5File& file,
                                      const Hdf5Dataset& samples,
                                      const std::string& name,
                                      double absent,
                                      double lowest);

// Reads all labels, each rank its part. Collective over `communicator`, blocking; all ranks throw
// the same error. @throws InputError, IoError
void check_label_range(const Hdf5File& file,
                       const Hdf5Dataset& labels,
                       std::int64_t classes,
                       const Communicator& communicator);

}  // namespace cnnplan
