// Runs the watching thread: it reads the record, talks to other watchdogs, and ends the process.
#include "executor/comm/watch/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "executor/comm/watch/job_processes.hpp"
#include "executor/comm/watch/wait_report.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

// The order of an end is this. The reporter tells all ranks, several times. Ranks then end, and the
// launcher, if it ends the others for that, takes their exit code as its own. Only then, the
// reporter asks the launcher, and stopped ranks are killed.
constexpr std::chrono::milliseconds between_messages{100};
constexpr int end_messages = 3;
constexpr std::chrono::milliseconds before_end{400};
constexpr std::chrono::milliseconds before_kill{2400};        // the reporter ends before
constexpr std::chrono::milliseconds before_early_kill{1000};  // there is no reporter
constexpr std::chrono::milliseconds for_others{900};
constexpr std::chrono::milliseconds for_launcher{1000};

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Writes past the buffers of the standard library, whose locks a stuck thread may hold.
void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(STDERR_FILENO, text.data(), text.size());
    if (bytes <= 0) return;
    text.remove_prefix(bytes);
  }
}

[[noreturn]] void end_process() {
  _exit(static_cast<int>(ExitCode::peer_lost));
}

// Launchers send SIGTERM to ranks when another rank has ended. This rank then ends at once, with
// the exit code that says why.
void end_by_sigterm() {
  std::signal(SIGTERM, [](int) { end_process(); });
}

// Ends this process. The lowest rank of this host that can run stays until other hosts have had
// time to end, and then kills the ranks that cannot end by themselves.
[[noreturn]] void end_with_host(int lost, std::chrono::milliseconds until_kill) {
  const std::vector<JobProcess> processes = job_processes();
  const auto is_lost = [&](const JobProcess& process) {
    return process.is_stopped() || process.rank == lost;
  };
  const auto first = std::ranges::find_if_not(processes, is_lost);
  const bool kills =
      first != processes.end() && first->pid == getpid() && std::ranges::any_of(processes, is_lost);
  std::this_thread::sleep_for(kills ? until_kill : before_end);
  if (kills) kill_lost_processes(lost);
  end_process();
}

// A signal should interrupt the threads that it interrupts without a watchdog.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

std::string whole_seconds(double seconds) {
  return std::to_string(std::lround(seconds)) + " s";
}

// Returns the limit as a user would write it.
std::string option_text(double limit_s) {
  std::string number = std::to_string(limit_s);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return "--comm-timeout " + number;
}

}  // namespace

Watchdog::Watchdog(WatchedProgram program, double limit_s)
    : program_(std::move(program)),
      limit_s_(limit_s > 0 ? limit_s : std::numeric_limits<double>::infinity()) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  stops_ = true;
  channel_.wake();
  thread_.join();
}

void Watchdog::connect(const WatchPeers& peers, std::function<void()> end_job) {
  peers_ = peers;
  end_job_ = std::move(end_job);
  const std::string own_host = peers.hosts.at(peers.rank);
  for (std::size_t rank = 0; rank < peers.addresses.size(); ++rank) {
    channel_.add_peer(peers.addresses[rank], peers.hosts.at(rank) == own_host);
  }
  inquiry_.emplace(peers.rank, static_cast<int>(peers.addresses.size()), limit_s_);
  is_connected_ = true;
}

void Watchdog::watch() {
  const double look_s = InquiryTimes(limit_s_).look_s;
  while (!stops_) {
    const double begin_s = steady_s();
    look(begin_s);
    channel_.wait(std::clamp(next_step_s_ - steady_s(), 0.0, look_s));
  }
}

void Watchdog::look(double steady_s) {
  clock_.look(steady_s);
  if (program_.before_look) program_.before_look();
  const RankState own = state_.state_of(own_record().view(), clock_.now_s());
  const bool is_due = steady_s >= next_step_s_;
  if (is_due) next_step_s_ = steady_s + InquiryTimes(limit_s_).look_s;
  if (!is_connected_) return require_unconnected_in_time(own);
  take_datagrams(own);
  if (is_due) step(own);
}

void Watchdog::take_datagrams(const RankState& own) {
  while (const auto datagram = channel_.receive()) {
    const auto message = parse_datagram(*datagram, peers_.token);
    if (!message) continue;
    if (message->kind == WatchMessage::Kind::end) {
      end_by_sigterm();
      end_with_host(message->culprit, before_kill);
    }
    send(inquiry_->receive(*message, own, clock_.now_s()));
  }
}

void Watchdog::step(const RankState& own) {
  const Inquiry::Step step = inquiry_->step(own, clock_.now_s());
  send(step.messages);
  if (step.end) end_all(*step.end, own);
  if (step.warning) warn(*step.warning, own);
}

void Watchdog::send(const std::vector<Inquiry::Outgoing>& messages) const {
  for (const auto& [to, message] : messages) {
    channel_.send(to, to_datagram(message, peers_.token));
  }
}

// Returns the text after the name of the program, in lines that fit a terminal.
std::string Watchdog::message(const std::string& text) const {
  return message_text(program_.name + ": " + text, program_.columns);
}

// Adds what the system knows of the process, where it runs on this host.
std::string Watchdog::place_of(int rank) const {
  const std::string& host = peers_.hosts.at(rank);
  const std::vector<JobProcess> processes = job_processes();
  if (host != peers_.hosts.at(peers_.rank) || processes.empty()) return host;
  const auto process = std::ranges::find(processes, rank, &JobProcess::rank);
  if (process == processes.end()) return host + ", has ended";
  const char* const state = process->is_stopped() ? ", is stopped" : "";
  return host + ", pid " + std::to_string(process->pid) + state;
}

void Watchdog::warn(const WaitVerdict& verdict, const RankState& own) const {
  const RankReports reports = inquiry_->reports(own, clock_.now_s());
  const RankReport& waiter = reports.at(verdict.waiter);
  print(message("warning: rank " + std::to_string(verdict.waiter) + " has waited for " +
                whole_seconds(waiter.unchanged_s()) + ": " +
                culprit_text(verdict, reports, place_of(verdict.culprit)) +
                "; all ranks end after " + whole_seconds(limit_s_) + " (" + option_text(limit_s_) +
                ")"));
}

// Before the ranks know each other, the lowest rank on this host that is not stopped prints.
void Watchdog::require_unconnected_in_time(const RankState& own) const {
  if (!own.is_waiting() || own.unchanged_s < limit_s_) return;
  RankList stopped;
  std::optional<JobProcess> first;
  for (const JobProcess& process : job_processes()) {
    if (process.is_stopped()) stopped.push_back(process.rank);
    if (!process.is_stopped() && !first) first = process;
  }
  if (!first || first->pid == getpid()) {
    const std::string known = stopped.empty() ? "a rank was not started, is stopped or was killed"
                                              : "rank " + ranks_text(stopped) + " is stopped";
    print(message(own.call + " has not returned for " + whole_seconds(own.unchanged_s) + ": " +
                  known + "; the ranks end (" + option_text(limit_s_) + ")"));
  }
  end_by_sigterm();
  end_with_host(-1, before_early_kill);
}

void Watchdog::tell_end(int culprit) const {
  for (int i = 0; i < end_messages; ++i) {
    for (int rank = 0; rank < std::ssize(peers_.addresses); ++rank) {
      if (rank == peers_.rank) continue;
      send({{rank,
             {.kind = WatchMessage::Kind::end,
              .from = peers_.rank,
              .culprit = culprit,
              .state = {}}}});
    }
    std::this_thread::sleep_for(between_messages);
  }
}

// The launcher is asked late, since it may hang, as MPI may, and since it prints much.
void Watchdog::end_all(const WaitVerdict& verdict, const RankState& own) const {
  const RankReports reports = inquiry_->reports(own, clock_.now_s());
  const bool has_limit = verdict.fault != Fault::failed && std::isfinite(limit_s_);
  const std::string limit = has_limit ? "; a rank may wait for " + whole_seconds(limit_s_) + " (" +
                                            option_text(limit_s_) + ")"
                                      : "";
  print(message(culprit_text(verdict, reports, place_of(verdict.culprit)) + ", so all ranks end" +
                limit) +
        waits_table(reports, peers_.hosts, verdict));
  const int lost = verdict.fault == Fault::silent ? verdict.culprit : -1;
  tell_end(lost);
  end_by_sigterm();
  std::this_thread::sleep_for(for_others);
  std::thread(end_job_).detach();
  std::this_thread::sleep_for(for_launcher);
  kill_lost_processes(lost);
  end_process();
}

}  // namespace cnnplan
