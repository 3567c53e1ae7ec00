// The text of one time-independent trace of SMPI: what one process does, an action a line.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace cnnplan {

// Operations per second of a simulated host: work of s seconds is written as s times this.
inline constexpr double host_flops_per_s = 1e9;

struct TraceMessage {
  int process = 0;  // the other end
  int tag = 0;
  std::int64_t bytes = 0;
};

class Trace {
 public:
  explicit Trace(int process);

  // Work that follows work becomes one action; none takes no action.
  void compute(double seconds) { pending_s_ += seconds; }
  void isend(const TraceMessage& message);
  void irecv(const TraceMessage& message);
  void waitall() { add("waitall"); }
  // Signals between the processes of a rank: no bytes, no time.
  void signal(int process, int tag);
  void await(int process, int tag);

  // The processes that this one sends to.
  const std::set<int>& receivers() const { return receivers_; }
  std::int64_t messages() const { return messages_; }
  // All actions, from `init` to `finalize`.
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
