// Writes a time-independent trace of SMPI, which lists the actions of one process, one per line.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace cnnplan {

// A simulated host has this speed, so work of s seconds is written as s times this value.
inline constexpr double host_flops_per_s = 1e9;

// Describes a message from or to another process.
struct TraceMessage {
  int process = 0;  // the other end
  int tag = 0;
  std::int64_t bytes = 0;
};

// Collects the actions of one process. The functions append an action each. isend(), irecv() and
// waitall() are named after the calls of MPI that SMPI replays.
class Trace {
 public:
  explicit Trace(int process);

  // Appends work of this time. Consecutive work becomes one action, and work of 0 seconds none.
  void compute(double seconds) { pending_s_ += seconds; }
  void isend(const TraceMessage& message);
  void irecv(const TraceMessage& message);
  void waitall() { add("waitall"); }
  // Sends or awaits a signal between the processes of a rank, which takes no time.
  void signal(int process, int tag);
  void await(int process, int tag);

  // Returns the processes that this process sends to.
  const std::set<int>& receivers() const { return receivers_; }
  // Returns the number of messages that were sent, without signals.
  std::int64_t messages() const { return messages_; }
  // Returns all actions, from `init` to `finalize`.
  std::string text() const;

 private:
  void add(const std::string& action);
  void flush_work();

  int process_;
  double pending_s_ = 0.0;
  std::int64_t messages_ = 0;
  std::set<int> receivers_;
  std::string text_;
};

}  // namespace cnnplan
