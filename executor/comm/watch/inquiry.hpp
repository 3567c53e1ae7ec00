// Finds out together with the other watchdogs who waits for whom, once a rank waits for long.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "executor/comm/watch/verdict.hpp"
#include "executor/comm/watch/watch_message.hpp"

namespace cnnplan {

// Says which waits start an inquiry, which are worth a warning, and which end the program.
struct InquiryTimes {
  // Derives all times from the limit of --comm-timeout. An infinite limit leaves the intervals
  // between looks and rounds at their largest values, and no wait is then too long. After a fault
  // of a device, a rank that does not answer is still lost.
  explicit InquiryTimes(double limit_s);

  double look_s;       // interval between two calls of Inquiry::step()
  double begin_s;      // a wait of this length begins an inquiry
  double round_s;      // the next ranks are tried as reporters after this time
  double word_s;       // a reporter that says nothing for longer is lost
  WaitLimits warning;  // beyond which a warning is printed: waits of a third of the limit
  WaitLimits end;      // beyond which the program ends: waits of the limit
};

// A rank that waits for long tells the lowest rank, the reporter. The reporter then asks all ranks
// for their states, and judges them. While it does not answer, its place goes to the lowest rank
// that does: a waiting rank tries rank 0, then twice as many ranks each round, up to itself. A rank
// with a fault acts as one that waits for long. Until there is a rank of either kind, nobody sends
// a message. The class knows neither sockets nor clocks, so that tests run it for many ranks in one
// process.
class Inquiry {
 public:
  // Holds a message that the caller has to send.
  struct Outgoing {
    int to = 0;  // a rank
    WatchMessage message;
  };
  // Says what the caller has to do after a step.
  struct Step {
    std::vector<Outgoing> messages;
    std::optional<WaitVerdict> warning;  // once for each inquiry
    std::optional<WaitVerdict> end;      // the verdict of this rank, the reporter
  };

  // `limit_s` is the limit of --comm-timeout, from which all times are derived.
  Inquiry(int rank, int ranks, double limit_s);

  // Takes a message that came at `now_s`, and returns the answer to it, if it needs one. `own` is
  // the state of this rank. The caller handles messages of Kind::end, which this function ignores.
  std::vector<Outgoing> receive(const WatchMessage& message, const RankState& own, double now_s);
  // Goes on with the inquiry, begins one, or does nothing while nobody waits for long. `own` is the
  // state of this rank. Call it every times().look_s.
  Step step(const RankState& own, double now_s);

  const InquiryTimes& times() const { return times_; }
  // Returns what this rank has heard from each rank since it became the reporter.
  // @pre is_reporter()
  RankReports reports(const RankState& own, double now_s) const;
  bool is_reporter() const { return reports_since_s_.has_value(); }

 private:
  struct Heard {
    std::optional<RankState> state;
    double at_s = 0;
  };

  bool needs_reporter(const RankState& state) const;
  bool follows_other(double now_s) const;
  std::vector<Outgoing> to_candidates(const RankState& own, double now_s);
  Outgoing state_to(int rank, const RankState& own) const;
  Step report(const RankState& own, double now_s);
  void close();

  int rank_;
  InquiryTimes times_;
  std::vector<Heard> heard_;                        // by rank
  std::optional<double> begun_s_;                   // when this rank began to look for a reporter
  std::optional<double> reports_since_s_;           // since when this rank is the reporter
  std::optional<double> asked_s_;                   // when another rank last needed a reporter
  std::optional<std::pair<int, double>> reporter_;  // a lower rank, and when it last asked
  bool has_warned_ = false;
};

}  // namespace cnnplan
