// Turns HDF5's error stack into one message.
#include "executor/hdf5/hdf5_check.hpp"

#include <string>

#include <hdf5.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// HDF5 walks from the innermost call outwards, so the first description is the cause.
herr_t keep_first(unsigned /*depth*/, const H5E_error2_t* error, void* cause) {
  auto& text = *static_cast<std::string*>(cause);
  if (text.empty() && error->desc != nullptr) text = error->desc;
  return 0;
}

}  // namespace

void throw_hdf5_error(const Hdf5Call& call) {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
  std::string message = std::string(call.file) + ": cannot " + call.what;
  if (!call.dataset.empty()) message.append(" ").append(call.dataset);
  message.append(": ").append(cause.empty() ? "HDF5 names no cause" : cause);
  throw IoError(message);
}

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace cnnplan
