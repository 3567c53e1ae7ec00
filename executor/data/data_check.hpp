// Checks a data file against the network that will train on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/data/data_source.hpp"
#include "executor/hdf5/hdf5_file.hpp"

namespace cnnplan {

// Data files have datasets with these names: samples, and labels or targets.
inline constexpr const char* samples_name = "/samples";
inline constexpr const char* labels_name = "/labels";
inline constexpr const char* targets_name = "/targets";

// These functions list dims in the order in which a data file stores them. Samples are (N, C, D, H,
// W) without D when it is 1. Labels per pixel lack C. Labels per image are (N), and targets per
// image are (N, C).
std::vector<Dim> stored_sample_dims(const BatchShape& batch);
std::vector<Dim> stored_label_dims(const BatchShape& batch);
std::vector<Dim> stored_target_dims(const BatchShape& batch);

// These functions check a dataset and open it.
// @throws InputError (pointer "/samples", "/labels" or "/targets") when the dataset is missing, has
// another type or shape, or too few samples; IoError
Hdf5Dataset open_samples(const Hdf5File& file,
                         const BatchShape& batch,
                         std::int64_t least_samples,
                         const Augmentation& augmentation);
Hdf5Dataset open_labels(const Hdf5File& file, const BatchShape& batch, std::int64_t samples);
Hdf5Dataset open_targets(const Hdf5File& file, const BatchShape& batch, std::int64_t samples);

// Returns `batch` with the labels that a file has whose samples have the shape `stored_sample` (1,
// C, D, H, W). If samples are cropped, labels or targets per position are as large as the stored
// samples. Everything else stays as in `batch`.
// @throws InputError where cropped samples have labels or targets per position, and these have
// other extents than the network's input, or the samples are padded
BatchShape stored_batch(const Hdf5File& file,
                        const BatchShape& batch,
                        const Shape& stored_sample,
                        const Augmentation& augmentation);

// Returns the attribute `name` ("mean", "std") of the samples by channel, or `absent` when the file
// lacks it.
// @throws InputError unless it holds 1 or C values, finite and above `lowest`; IoError
std::vector<double> channel_attribute(const Hdf5File& file,
                                      const Hdf5Dataset& samples,
                                      const std::string& name,
                                      double absent,
                                      double lowest);

// Reads all labels, each rank a part of them. This call is collective over `communicator` and
// blocks.
// @throws InputError on all ranks for a label outside of [0, classes); IoError on ranks that cannot
// read the file, and then Error on all other ranks (on_every_rank())
void check_label_range(const Hdf5File& file,
                       const Hdf5Dataset& labels,
                       std::int64_t classes,
                       const Communicator& communicator);

}  // namespace cnnplan
