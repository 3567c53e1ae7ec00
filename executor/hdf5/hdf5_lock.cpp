// Keeps a mutex that is never destroyed, because files may be closed when the program ends.
#include "executor/hdf5/hdf5_lock.hpp"

namespace cnnplan {

std::unique_lock<std::recursive_mutex> lock_hdf5() {
  static auto* const mutex = new std::recursive_mutex;  // NOLINT(cppcoreguidelines-owning-memory)
  return std::unique_lock(*mutex);
}

}  // namespace cnnplan
