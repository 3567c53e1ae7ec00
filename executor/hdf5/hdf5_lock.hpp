// One thread at a time inside HDF5, which is not made for several where it is parallel.
#pragma once

#include <mutex>

namespace cnnplan {

// Held as long as what is returned. A thread that holds it may take it again.
[[nodiscard]] std::unique_lock<std::recursive_mutex> lock_hdf5();

}  // namespace cnnplan
