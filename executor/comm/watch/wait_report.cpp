// Formats ranks, states and the table of waits.
#include "executor/comm/watch/wait_report.hpp"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace cnnplan {
namespace {

constexpr int most_rows = 64;
constexpr std::size_t most_columns = 40;  // of a list of ranks
constexpr double usual_answer_s = 1.0;    // the table marks ranks that take longer

std::string seconds_text(double seconds) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << seconds << " s";
  return out.str();
}

std::string doing_text(const RankState& state) {
  const std::string fault = state.fault ? "; " + state.fault->what : "";
  if (state.activity.empty()) return state.call + fault;
  return state.activity + (state.call.empty() ? "" : " (" + state.call + ")") + fault;
}

// Says what the rank does; a rank that is silent does what it last told, if anything.
std::string operation_text(const RankReport& report, bool is_silent) {
  const std::string last = report.state ? doing_text(*report.state) : "";
  if (!is_silent) return last.empty() ? "-" : last;
  return last.empty() ? "no answer" : "no answer; last: " + last;
}

RankList without(RankList ranks, int rank) {
  std::erase(ranks, rank);
  return ranks;
}

}  // namespace

std::string ranks_text(const RankList& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[first]);
    if (last > first) text += (last > first + 1 ? " to " : ", ") + std::to_string(ranks[last]);
    first = last + 1;
    if (text.size() > most_columns && first < ranks.size()) return text + ", ...";
  }
  return text.empty() ? "-" : text;
}

std::string culprit_text(const WaitVerdict& verdict,
                         const RankReports& reports,
                         const std::string& place) {
  const RankReport& report = reports.at(verdict.culprit);
  const std::string rank = "rank " + std::to_string(verdict.culprit) + " (" + place + ")";
  const std::string time = seconds_text(report.unchanged_s());
  switch (verdict.fault) {
    case Fault::silent:
      return rank + " has not answered for " + seconds_text(report.silent_s);
    case Fault::stuck:
      return rank + " has shown no progress for " + time + " in " + operation_text(report, false);
    case Fault::failed:
      return rank + " cannot communicate any more: " + report.state->fault->what;
    case Fault::deadlock:
    case Fault::none:
      break;
  }
  return "all ranks answer, but wait for each other: " + rank + " has waited for " + time + " in " +
         operation_text(report, false);
}

std::string waits_table(const RankReports& reports,
                        const std::vector<std::string>& hosts,
                        const WaitVerdict& verdict) {
  std::size_t width = std::string("host").size();
  for (const std::string& host : hosts) width = std::max(width, host.size());
  const int host_width = static_cast<int>(width);
  std::ostringstream out;
  out << "  rank  " << std::left << std::setw(host_width) << "host"
      << "  since      waits for   operation\n";
  const int ranks = static_cast<int>(std::ssize(reports));
  for (int rank = 0; rank < ranks; ++rank) {
    const bool is_named = rank == verdict.culprit || rank == verdict.waiter;
    if (rank >= most_rows && !is_named) continue;
    const RankReport& report = reports[rank];
    const bool is_culprit = rank == verdict.culprit && verdict.fault == Fault::silent;
    const bool is_silent = is_culprit || report.silent_s > usual_answer_s;
    const RankList waits = report.state ? without(report.state->waits_for, rank) : RankList{};
    out << std::right << std::setw(6) << rank << "  " << std::left << std::setw(host_width)
        << hosts[rank] << "  " << std::setw(9) << seconds_text(report.unchanged_s()) << "  "
        << std::setw(10) << (is_silent ? "?" : ranks_text(waits)) << "  "
        << operation_text(report, is_silent) << '\n';
  }
  if (ranks > most_rows) out << "  (rows of further ranks are left out)\n";
  return out.str();
}

}  // namespace cnnplan
