// Handles SIGTERM and SIGUSR1, by which batch systems announce the end of a job.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace cnnplan {

// Handles both signals while it lives, then restores the previous handlers. Only one object may
// exist at a time.
class StopSignals {
 public:
  // Says what a signal does.
  enum class Answer {
    remember,      // it is remembered, and last() returns it
    tell_and_end,  // a message says that nothing was saved, and the signal ends the process
    tell_and_end_inference,  // a message says that no outputs were written, and the process ends
  };
  // With the last two answers, a signal that was ignored before stays ignored.
  explicit StopSignals(Answer answer);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // Returns the number of the last signal, or 0 if none came.
  int last() const;

 private:
  static constexpr std::array numbers{SIGTERM, SIGUSR1};
  std::array<struct sigaction, numbers.size()> before_{};
};

// Returns "SIGTERM" or "SIGUSR1".
std::string signal_name(int number);

}  // namespace cnnplan
