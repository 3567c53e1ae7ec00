// SIGTERM and SIGUSR1, with which batch systems announce that a job has to go.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace cnnplan {

// Answers both signals while it lives, then puts back what was there. One at a time.
class StopSignals {
 public:
  enum class Answer {
    remember,                // for the caller to ask
    tell_and_end,            // say that nothing was saved, and end as without it
    tell_and_end_inference,  // the same, where nothing is to be saved
  };
  explicit StopSignals(Answer answer);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // The number of the last signal that came; 0: none did.
  int last() const;

 private:
  static constexpr std::array numbers{SIGTERM, SIGUSR1};
  std::array<struct sigaction, numbers.size()> before_{};
};

// "SIGTERM"
std::string signal_name(int number);

}  // namespace cnnplan
