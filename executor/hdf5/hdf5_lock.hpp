// Lets one thread at a time into HDF5, whose parallel build does not support several threads.
#pragma once

#include <mutex>

namespace cnnplan {

// Takes the lock that every call of HDF5 needs, and blocks until it is free. It is held as long as
// the returned object lives. A thread that holds it may take it again.
[[nodiscard]] std::unique_lock<std::recursive_mutex> lock_hdf5();

}  // namespace cnnplan
