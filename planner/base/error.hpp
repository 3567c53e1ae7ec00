// The errors that a user can meet, each with the fields a caller or a test looks at.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "planner/base/exit_code.hpp"

namespace cnnplan {

class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

// The fields say what is wrong in an input. `file` is the file, or the option where the command
// line is wrong ("--uniform"). `pointer` is a JSON pointer ("/layers/3/stride/0"), or empty where
// the input is no JSON. `value` is the value there; `allowed` names the values that may stand
// there.
struct InputProblem {
  std::string file;
  std::string pointer;
  std::string value;
  std::string allowed;
};

// Exit code 3. The message holds all four fields.
class InputError : public Error {
 public:
  explicit InputError(InputProblem problem);
  const InputProblem& problem() const { return problem_; }

 private:
  InputProblem problem_;
};

// Exit code 4: something does not fit. `needed` and `available` are in the unit named by `what`.
class InfeasibleError : public Error {
 public:
  InfeasibleError(const std::string& what, std::int64_t needed, std::int64_t available);
  std::int64_t needed() const { return needed_; }
  std::int64_t available() const { return available_; }

 private:
  std::int64_t needed_;
  std::int64_t available_;
};

// Exit code 5: the library cannot run a kernel as the plan asks.
class BackendError : public Error {
 public:
  explicit BackendError(const std::string& message) : Error(ExitCode::environment, message) {}
};

// Exit code 5: the device has failed in a way that ends its use by this process, as by a kernel
// that touched memory outside its operands. Every later call to the device fails, too. It is no
// BackendError, because no other kernel can be tried instead.
class DeviceLostError : public Error {
 public:
  // `culprit` names the work that was running; it is empty where nobody knows.
  explicit DeviceLostError(const std::string& message, std::string culprit = {})
      : Error(ExitCode::environment, message), culprit_(std::move(culprit)) {}
  const std::string& culprit() const { return culprit_; }

 private:
  std::string culprit_;
};

// Exit code 5: the program was started in a way it cannot run (rank count, missing device).
class EnvironmentError : public Error {
 public:
  explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};

// Exit code 8: a peer or the network failed.
class CommError : public Error {
 public:
  explicit CommError(const std::string& message) : Error(ExitCode::peer_lost, message) {}
};

// Exit code 7: a loss, gradient or weight is NaN or infinite.
class NotFiniteError : public Error {
 public:
  explicit NotFiniteError(const std::string& message) : Error(ExitCode::not_finite, message) {}
};

// Exit code 75: a signal asked the program to stop, and its state is saved.
class PreemptedError : public Error {
 public:
  explicit PreemptedError(const std::string& message) : Error(ExitCode::preempted, message) {}
};

// Exit code 9: a file could not be opened, read or written.
class IoError : public Error {
 public:
  explicit IoError(const std::string& message) : Error(ExitCode::io, message) {}
};

}  // namespace cnnplan
