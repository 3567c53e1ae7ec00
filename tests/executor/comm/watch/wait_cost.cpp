// Measures what a wait and a sign of progress cost, so that their share of a step can be stated.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {
namespace {

constexpr int calls = 20'000'000;
constexpr int repetitions = 5;

// Returns the nanoseconds of one call, in the fastest repetition.
template <typename F>
double nanoseconds(const F& call) {
  using Clock = std::chrono::steady_clock;
  double best_s = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const Clock::time_point begin = Clock::now();
    for (int k = 0; k < calls; ++k) call();
    best_s = std::min(best_s, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return 1e9 * best_s / calls;
}

}  // namespace
}  // namespace cnnplan

int main() {
  using namespace cnnplan;
  const RankList& peers = lasting(RankList{1});
  const std::string& name = lasting(std::string("conv1/forward"));
  std::printf("wait:     %.2f ns\n", nanoseconds([&] { const Wait wait("MPI_Wait", peers); }));
  std::printf("activity: %.2f ns\n", nanoseconds([&] { own_record().set_activity(name); }));
  std::printf("sign:     %.2f ns\n", nanoseconds([] { give_sign_of_progress(); }));
  return own_record().view().is_waiting() ? 1 : 0;
}
