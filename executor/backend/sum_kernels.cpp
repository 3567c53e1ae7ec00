// Compiles each loop for several instruction sets. The loader picks the clone that the processor
// has.
#include "executor/backend/sum_kernels.hpp"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t done = 0;
#if defined(__SSE2__)
  for (; done + sizeof(__m128i) <= bytes; done += sizeof(__m128i)) {
    const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), value);
  }
  _mm_sfence();
#endif
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace cnnplan
