// Follows paths in an HDF5 file and opens datasets there, without opening any other file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/hdf5/hdf5_check.hpp"
#include "executor/hdf5/hdf5_handle.hpp"

namespace cnnplan {

// Finds the object at the path `call.dataset`, and returns a path to it that has hard links only,
// which never leave the file. Soft links are followed component by component. Returns nothing when
// the file has no such path.
// @throws InputError (pointer `call.dataset`) for an external link, a link of a kind that HDF5
// itself does not define, and more than 64 soft links; IoError
// @pre `file` is the identifier of an open file, and the caller holds lock_hdf5(), here and below
std::optional<std::string> place_inside(std::int64_t file, const Hdf5Call& call);

// Opens the dataset at a place that place_inside() returned.
// @throws InputError (pointer `call.dataset`) for anything else than a dataset, and for a dataset
// whose elements are in other files or come from other datasets; IoError
Hdf5Handle open_own_dataset(std::int64_t file, const std::string& place, const Hdf5Call& call);

}  // namespace cnnplan
