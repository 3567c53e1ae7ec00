// Runs one thread for each number. Threads that find one write the same value.
#include <algorithm>

#include "executor/backend/cudnn/kernels/finite_kernels.hpp"
#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/element.hpp"
#include "executor/backend/host_device.hpp"

namespace cnnplan::cudnn {
namespace {

// The difference of a finite number with itself is 0, and of any other NaN.
template <typename T>
struct MarkNotFinite {
  const T* numbers;
  std::uint32_t* found;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t i) const {
    const auto number = static_cast<Computed<T>>(numbers[i]);
    if (!(number - number == Computed<T>{0})) *found = 1;
  }
};

}  // namespace

void mark_not_finite(ElementType element,
                     const void* memory,
                     std::int64_t count,
                     std::uint32_t* found,
                     cudaStream_t stream) {
  constexpr std::int64_t most = most_indices - 1;
  with_type_of(element, [&]<typename T>(T) {
    const auto* const numbers = static_cast<const T*>(memory);
    for (std::int64_t begin = 0; begin < count; begin += most) {
      launch(stream, std::min(most, count - begin), MarkNotFinite<T>{numbers + begin, found});
    }
  });
}

}  // namespace cnnplan::cudnn
