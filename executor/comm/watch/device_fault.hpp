// Describes an error of communication that a library of the device reports, such as NCCL.
#pragma once

#include <string>

namespace cnnplan {

// Holds an error after which this rank cannot communicate any more.
struct DeviceFault {
  std::string what;           // a text such as "NCCL: ncclAllReduce: unhandled system error"
  bool is_elsewhere = false;  // the library says that another rank or the network failed

  bool operator==(const DeviceFault&) const = default;
};

}  // namespace cnnplan
