// The device that kernels run on.
#pragma once

#include <string>

namespace cnnplan {

// Model name of the CPU and the number of threads of this rank: "AMD EPYC, 1 thread".
std::string cpu_device(int threads);

}  // namespace cnnplan
