// Checks what HDF5 calls return, in one place for this folder.
#pragma once

#include <string_view>

namespace cnnplan {

// Says where a call was made and what it was meant to do, for the message.
struct Hdf5Call {
  std::string_view file;
  std::string_view dataset = {};  // empty if the call is about the file
  const char* what;               // "open", "read"
};

// Throws the error of a failed call: an IoError with the innermost cause that HDF5 names.
[[noreturn]] void throw_hdf5_error(const Hdf5Call& call);

// Returns `status` (an identifier, an error code, a size). @throws IoError when it is negative.
template <typename Status>
Status hdf5_check(Status status, const Hdf5Call& call) {
  if (status < 0) throw_hdf5_error(call);
  return status;
}

// Stops HDF5 from printing its error stack to stderr. It is called before a file is opened.
void silence_hdf5();

}  // namespace cnnplan
