// One source, several instruction sets: the loader picks the clone that the processor has.
#include "executor/comm/sum_kernels.hpp"

// Sanitizers cannot instrument the code that picks a clone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CNNPLAN_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define CNNPLAN_CLONES
#endif

namespace cnnplan {

CNNPLAN_CLONES void add(float* __restrict own,
                        const float* __restrict received,
                        std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) own[i] += received[i];
}

CNNPLAN_CLONES void add(double* __restrict own,
                        const double* __restrict received,
                        std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) own[i] += received[i];
}

CNNPLAN_CLONES void add_and_forward(float* __restrict own,
                                    const float* __restrict received,
                                    float* __restrict forward,
                                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) forward[i] = own[i] += received[i];
}

CNNPLAN_CLONES void add_and_forward(double* __restrict own,
                                    const double* __restrict received,
                                    double* __restrict forward,
                                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) forward[i] = own[i] += received[i];
}

CNNPLAN_CLONES void copy_and_forward(float* __restrict own,
                                     const float* __restrict received,
                                     float* __restrict forward,
                                     std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) forward[i] = own[i] = received[i];
}

CNNPLAN_CLONES void copy_and_forward(double* __restrict own,
                                     const double* __restrict received,
                                     double* __restrict forward,
                                     std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) forward[i] = own[i] = received[i];
}

}  // namespace cnnplan
