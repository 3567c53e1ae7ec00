// Bounds every wait of this rank for others: a thread looks at what the rank waits for, and ends
// all ranks when one of them is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "executor/comm/watch/inquiry.hpp"
#include "executor/comm/watch/side_channel.hpp"
#include "executor/comm/watch/state_watch.hpp"
#include "executor/comm/watch/watch_clock.hpp"
#include "planner/base/terminal.hpp"

namespace cnnplan {

// Holds what all watchdogs of a program know of each other.
struct WatchPeers {
  int rank = 0;                        // of this process
  std::vector<std::string> addresses;  // of the side channels, by rank
  std::vector<std::string> hosts;      // by rank
  std::string token;                   // a secret of the program, without blanks
};

struct WatchedProgram {
  std::string name;                     // begins each message
  std::size_t columns = usual_columns;  // of a line of a message
  // The watching thread calls this function before each look at the record. It may set a fault
  // there. It must neither block nor throw, and may be empty.
  std::function<void()> before_look = {};
};

// Owns the thread that watches this process. Until connect(), the watchdog ends this process with
// exit code 8 if one wait takes longer than the limit. From connect() on, the lowest rank that
// answers decides for all ranks (Inquiry). It warns at a third of the limit, ends all ranks with
// exit code 8 at the limit, and names the rank that was lost first. A fault of a device ends all
// ranks sooner. A rank that computes and gives signs of progress may take as long as it likes. Time
// in which the process was suspended does not count.
class Watchdog {
 public:
  // With a limit of 0, ranks may wait for ever. A fault of a device still ends all ranks.
  // @throws std::system_error where the system has no thread left
  Watchdog(WatchedProgram program, double limit_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Returns the address by which others reach this watchdog.
  std::string address() const { return channel_.address(); }
  // Lets this watchdog talk to those of the other ranks. `end_job` asks the launcher to end all
  // ranks, and need not return. Call connect() once.
  void connect(const WatchPeers& peers, std::function<void()> end_job);

 private:
  void watch();
  void look(double steady_s);
  void take_datagrams(const RankState& own);
  void step(const RankState& own);
  void send(const std::vector<Inquiry::Outgoing>& messages) const;
  std::string message(const std::string& text) const;
  std::string place_of(int rank) const;
  void warn(const WaitVerdict& verdict, const RankState& own) const;
  void require_unconnected_in_time(const RankState& own) const;
  [[noreturn]] void end_all(const WaitVerdict& verdict, const RankState& own) const;
  void tell_end(int culprit) const;

  WatchedProgram program_;
  double limit_s_;
  SideChannel channel_;
  WatchClock clock_;
  StateWatch state_;
  WatchPeers peers_;
  std::function<void()> end_job_;
  std::optional<Inquiry> inquiry_;
  double next_step_s_ = 0;
  std::atomic<bool> is_connected_{false};  // then peers_, end_job_ and inquiry_ are set
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace cnnplan
