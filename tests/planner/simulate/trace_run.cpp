// Runs one process after the other, each until it waits.
#include "tests/planner/simulate/trace_run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace cnnplan::test {
namespace {

struct Action {
  std::string name;
  std::vector<double> numbers;
};

using Channel = std::tuple<int, int, int>;  // from, to, tag
using Mail = std::map<Channel, std::deque<std::int64_t>>;

std::vector<Action> parse(const std::string& text, int process) {
  std::vector<Action> actions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    int owner = -1;
    Action action;
    words >> owner >> action.name;
    if (owner != process) throw std::runtime_error("line of another process: " + line);
    for (double number = 0; words >> number;) action.numbers.push_back(number);
    actions.push_back(action);
  }
  return actions;
}

// Returns process, tag and bytes.
std::tuple<int, int, std::int64_t> message_of(const Action& action) {
  const int element_bytes = action.numbers.at(3) == 6.0 ? 1 : 8;
  return {static_cast<int>(action.numbers.at(0)),
          static_cast<int>(action.numbers.at(1)),
          static_cast<std::int64_t>(action.numbers.at(2)) * element_bytes};
}

class Process {
 public:
  Process(int number, const std::string& trace) : number_(number), actions_(parse(trace, number)) {}

  bool done() const { return next_ == actions_.size(); }
  // Returns true if at least one action was completed.
  bool advance(Mail& mail, TraceRun& run) {
    const std::size_t before = next_;
    while (!done() && act(actions_[next_], mail, run)) ++next_;
    return next_ > before;
  }

 private:
  bool act(const Action& action, Mail& mail, TraceRun& run) {
    const auto self = static_cast<std::size_t>(number_);
    if (action.name == "init" || action.name == "finalize") return true;
    if (action.name == "compute") {
      run.flops[self] += action.numbers.at(0);
      return true;
    }
    if (action.name == "waitall") return receive_all(mail, run);
    const auto [process, tag, bytes] = message_of(action);
    if (action.name == "isend" || action.name == "send") {
      mail[{number_, process, tag}].push_back(bytes);
      run.sent_bytes[self] += bytes;
      return true;
    }
    if (action.name == "irecv") {
      expected_.push_back({{process, number_, tag}, bytes});
      return true;
    }
    if (action.name != "recv") throw std::runtime_error("action " + action.name);
    return receive({process, number_, tag}, bytes, mail, run);
  }

  static bool receive(const Channel& channel, std::int64_t bytes, Mail& mail, TraceRun& run) {
    std::deque<std::int64_t>& sent = mail[channel];
    if (sent.empty()) return false;
    run.same_bytes = run.same_bytes && sent.front() == bytes;
    sent.pop_front();
    return true;
  }

  bool receive_all(Mail& mail, TraceRun& run) {
    while (!expected_.empty()) {
      const auto& [channel, bytes] = expected_.front();
      if (!receive(channel, bytes, mail, run)) return false;
      expected_.pop_front();
    }
    return true;
  }

  int number_;
  std::vector<Action> actions_;
  std::size_t next_ = 0;
  std::deque<std::pair<Channel, std::int64_t>> expected_;
};

}  // namespace

TraceRun run_traces(const std::vector<std::string>& traces) {
  TraceRun run{.sent_bytes = std::vector<std::int64_t>(traces.size(), 0),
               .flops = std::vector<double>(traces.size(), 0.0)};
  std::vector<Process> processes;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    processes.emplace_back(static_cast<int>(i), traces[i]);
  }
  Mail mail;
  for (bool progress = true; progress;) {
    progress = false;
    for (Process& process : processes) progress = process.advance(mail, run) || progress;
  }
  run.ends = std::all_of(
      processes.begin(), processes.end(), [](const Process& process) { return process.done(); });
  for (const auto& [channel, sent] : mail) run.left_over += static_cast<int>(sent.size());
  return run;
}

}  // namespace cnnplan::test
