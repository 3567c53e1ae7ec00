// Installs handlers that only set a number, or write a message and end the process.
#include "executor/training/stop_signals.hpp"

#include <string_view>

#include <unistd.h>

namespace cnnplan {
namespace {

// A handler can report only through such a variable.
volatile std::sig_atomic_t last_signal = 0;

void remember(int number) {
  last_signal = number;
}

// SA_RESETHAND restored the default action, so the raised signal ends the process when the handler
// returns.
void end_with(std::string_view text, int number) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) last_signal = number;
  std::raise(number);
}

void tell_and_end(int number) {
  constexpr std::string_view term =
      "cnnexec: SIGTERM: ends now, nothing was saved; --checkpoint saves the state\n";
  constexpr std::string_view usr1 =
      "cnnexec: SIGUSR1: ends now, nothing was saved; --checkpoint saves the state\n";
  end_with(number == SIGTERM ? term : usr1, number);
}

void tell_and_end_inference(int number) {
  constexpr std::string_view term = "cnnexec: SIGTERM: ends now, no outputs were written\n";
  constexpr std::string_view usr1 = "cnnexec: SIGUSR1: ends now, no outputs were written\n";
  end_with(number == SIGTERM ? term : usr1, number);
}

void (*handler_of(StopSignals::Answer answer))(int) {
  switch (answer) {
    case StopSignals::Answer::remember:
      return remember;
    case StopSignals::Answer::tell_and_end:
      return tell_and_end;
    case StopSignals::Answer::tell_and_end_inference:
      break;
  }
  return tell_and_end_inference;
}

}  // namespace

StopSignals::StopSignals(Answer answer) {
  last_signal = 0;
  struct sigaction action {};
  const bool ends = answer != Answer::remember;
  action.sa_handler = handler_of(answer);
  action.sa_flags = ends ? static_cast<int>(SA_RESETHAND) : SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers[i], nullptr, &before_[i]);
    const bool is_ignored = before_[i].sa_handler == SIG_IGN;
    if (!(ends && is_ignored)) sigaction(numbers[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
}

int StopSignals::last() const {
  return last_signal;
}

std::string signal_name(int number) {
  return number == SIGTERM ? "SIGTERM" : "SIGUSR1";
}

}  // namespace cnnplan
