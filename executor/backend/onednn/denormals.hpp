// Sets whether this thread computes with denormal numbers, which cost a hundredfold on x86-64. On
// other processors, nothing here has an effect.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cnnplan::onednn {

#if defined(__x86_64__)
// These are bits of the control register MXCSR. The first one makes denormal results zero, and the
// second one makes denormal operands count as zero.
inline constexpr unsigned flush_to_zero = 0x8000;
inline constexpr unsigned denormals_are_zero = 0x0040;

// From now on, this thread takes denormal numbers for zero.
inline void flush_denormals() {
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
}

// While it lives, this thread computes with denormal numbers. Its destructor restores the mode from
// before.
class KeptDenormals {
 public:
  KeptDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ & ~(flush_to_zero | denormals_are_zero));
  }
  ~KeptDenormals() { _mm_setcsr(before_); }
  KeptDenormals(const KeptDenormals&) = delete;
  KeptDenormals& operator=(const KeptDenormals&) = delete;

 private:
  unsigned before_;
};
#else
inline void flush_denormals() {}
class KeptDenormals {
 public:
  KeptDenormals() {}
};
#endif

}  // namespace cnnplan::onednn
