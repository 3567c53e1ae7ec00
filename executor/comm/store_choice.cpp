// Measures both ways of writing chunks, smooths the times, and picks the faster way.
#include "executor/comm/store_choice.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

std::size_t index_of(Store store) {
  return static_cast<std::size_t>(store);
}

Store other(Store store) {
  return store == Store::cached ? Store::streamed : Store::cached;
}

// Limits how far one disturbed pass can raise the smoothed time.
constexpr double most_growth = 2.0;

}  // namespace

Store StoreChoice::faster() const {
  const auto [cached, streamed] = s_per_byte_;
  if (cached == 0) return Store::cached;
  return streamed < cached ? Store::streamed : Store::cached;
}

Store StoreChoice::next() {
  current_ = ++pass_ % passes_between_trials == 0 ? other(faster()) : faster();
  return current_;
}

void StoreChoice::record(double s_per_byte) {
  if (pass_ == 1) return;
  double& known = s_per_byte_[index_of(current_)];
  known = known == 0 ? s_per_byte : (known + std::min(s_per_byte, most_growth * known)) / 2;
}

}  // namespace cnnplan
