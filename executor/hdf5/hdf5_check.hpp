// Internal: the one check on what HDF5 calls return.
#pragma once

#include <string_view>

namespace cnnplan {

// Where a call was made and what it was to do, for the message.
struct Hdf5Call {
  std::string_view file;
  std::string_view dataset = {};  // empty where the call is about the file
  const char* what;               // "open", "read"
};

// @throws IoError with HDF5's own innermost cause
[[noreturn]] void throw_hdf5_error(const Hdf5Call& call);

// Passes `status` (an identifier, an error code, a size) on. @throws IoError when it is negative.
template <typename Status>
Status hdf5_check(Status status, const Hdf5Call& call) {
  if (status < 0) throw_hdf5_error(call);
  return status;
}

// HDF5 prints its error stack to stderr unless told not to. Called before a file is opened.
void silence_hdf5();

}  // namespace cnnplan
