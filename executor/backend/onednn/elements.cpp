// Converts between the elements of activations and floats.
#include "executor/backend/onednn/elements.hpp"

#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename To, typename From>
CNNPLAN_INLINE void convert_loop(const From* from, To* to, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = To(from[i]);
}

}  // namespace

template <typename To, typename From>
void convert(const From* from, To* to, std::int64_t count) {
  vectorized<convert_loop<To, From>>(from, to, count);
}

template void convert(const float*, float*, std::int64_t);
template void convert(const float*, BFloat16*, std::int64_t);
template void convert(const BFloat16*, float*, std::int64_t);

}  // namespace cnnplan::onednn
