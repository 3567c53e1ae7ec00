// Says which HDF5 library runs.
#pragma once

#include <string>

namespace cnnplan {

// Returns a text such as "HDF5 1.10.8, parallel". The version is that of the library that was
// loaded.
std::string hdf5_library_text();

}  // namespace cnnplan
