// Asks the HDF5 library for its version.
#include "executor/hdf5/hdf5_library.hpp"

#include <hdf5.h>

namespace cnnplan {

std::string hdf5_library_text() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "HDF5 of an unknown version";
#ifdef H5_HAVE_PARALLEL
  const char* const kind = ", parallel";
#else
  const char* const kind = ", without MPI";
#endif
  return "HDF5 " + std::to_string(major) + '.' + std::to_string(minor) + '.' +
         std::to_string(release) + kind;
}

}  // namespace cnnplan
