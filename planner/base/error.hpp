// Declares the errors that a user can meet, with the fields that callers and tests look at.
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
// line is wrong ("--uniform"). `pointer` is a JSON pointer ("/layers/3/stride/0") or another place
// ("line 3, column 7"), and empty where the whole input is meant. `value` is the value at this
// place. `allowed` names the values that may stand there.
struct InputProblem {
  std::string file;
  std::string pointer;
  std::string value;
  std::string allowed;
};

// An input is wrong (exit code 3). The message holds all four fields of the problem.
class InputError : public Error {
 public:
  explicit InputError(InputProblem problem);
  const InputProblem& problem() const { return problem_; }

 private:
  InputProblem problem_;
};

// Something does not fit (exit code 4). `needed` and `available` are numbers of bytes, and `what`
// names the thing that needs them.
class InfeasibleError : public Error {
 public:
  InfeasibleError(const std::string& what, std::int64_t needed, std::int64_t available);
  std::int64_t needed() const { return needed_; }
  std::int64_t available() const { return available_; }

 private:
  std::int64_t needed_;
  std::int64_t available_;
};

// The library cannot run a kernel as the plan asks (exit code 5).
class BackendError : public Error {
 public:
  explicit BackendError(const std::string& message) : Error(ExitCode::environment, message) {}

 protected:
  BackendError(ExitCode exit_code, const std::string& message) : Error(exit_code, message) {}
};

// A device lacks memory for what its library does (exit code 4). It is a BackendError because
// another kernel may need less.
class DeviceMemoryError : public BackendError {
 public:
  explicit DeviceMemoryError(const std::string& message)
      : BackendError(ExitCode::infeasible, message) {}
};

// The system did not give memory that the program asked for (exit code 4).
class OutOfMemoryError : public Error {
 public:
  explicit OutOfMemoryError(const std::string& message) : Error(ExitCode::infeasible, message) {}
};

// The device failed in a way that ends its use by this process (exit code 5), for example because a
// kernel touched memory outside its operands. Every later call to the device fails, too. This error
// is no BackendError, because no other kernel can be tried instead.
class DeviceLostError : public Error {
 public:
  // `culprit` names the work that was running, and is empty where this is unknown.
  explicit DeviceLostError(const std::string& message, std::string culprit = {})
      : Error(ExitCode::environment, message), culprit_(std::move(culprit)) {}
  const std::string& culprit() const { return culprit_; }

 private:
  std::string culprit_;
};

// The program cannot run as it was started, e.g. on this number of ranks or without a device (exit
// code 5).
class EnvironmentError : public Error {
 public:
  explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};

// This error means that a peer or the network failed (exit code 8).
class CommError : public Error {
 public:
  explicit CommError(const std::string& message) : Error(ExitCode::peer_lost, message) {}
};

// A loss, gradient or weight, or a number that JSON has to hold, is NaN or infinite (exit code 7).
class NotFiniteError : public Error {
 public:
  explicit NotFiniteError(const std::string& message) : Error(ExitCode::not_finite, message) {}
};

// A signal asked the program to stop, and its state is saved (exit code 75).
class PreemptedError : public Error {
 public:
  explicit PreemptedError(const std::string& message) : Error(ExitCode::preempted, message) {}
};

// A file or a standard stream could not be opened, read or written (exit code 9).
class IoError : public Error {
 public:
  explicit IoError(const std::string& message) : Error(ExitCode::io, message) {}
};

}  // namespace cnnplan
