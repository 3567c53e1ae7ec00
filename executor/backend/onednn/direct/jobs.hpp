// Cuts work into blocks, and runs independent jobs on the threads that OpenMP gives the rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

#include <omp.h>

#include "planner/tensor/box.hpp"

namespace cnnplan::onednn {

// Returns into how many blocks of `together` indices `count` indices are cut. The last block may be
// smaller.
inline std::int64_t block_count(std::int64_t count, std::int64_t together) {
  return (count + together - 1) / together;
}
// Returns the indices of a block. @pre 0 <= block < block_count(count, together)
inline Range block_range(std::int64_t block, std::int64_t together, std::int64_t count) {
  return {block * together, std::min((block + 1) * together, count)};
}

// Returns how many threads the jobs can use, from 1 to the number that OpenMP has.
inline int threads_for(std::int64_t jobs) {
  return static_cast<int>(std::clamp<std::int64_t>(jobs, 1, omp_get_max_threads()));
}

// Calls f(job, thread) for each job, with thread < `threads`. Jobs must not write the same memory.
// Rethrows the last exception of a job after all jobs have ended; with one thread, no job begins
// after an exception.
template <typename F>
void for_each_job(std::int64_t jobs, int threads, F f) {
  if (threads == 1) {
    for (std::int64_t job = 0; job < jobs; ++job) f(job, 0);
    return;
  }
  std::exception_ptr failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t job = 0; job < jobs; ++job) {
    try {
      f(job, omp_get_thread_num());
    } catch (...) {
#pragma omp critical(cnnplan_failed_job)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cnnplan::onednn
