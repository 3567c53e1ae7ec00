// Writes a message as lines of text: a header, the activity, the call, the fault, and the ranks.
#include "executor/comm/watch/watch_message.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace cnnplan {
namespace {

constexpr std::size_t most_text = 200;       // of an activity, in characters
constexpr std::ptrdiff_t most_ranks = 4000;  // so that a datagram stays below 64 KiB

// Texts fill one line each.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, most_text);
}

// Returns an empty text where there is no fault.
std::string fault_line(const std::optional<DeviceFault>& fault) {
  return fault ? (fault->is_elsewhere ? "1 " : "0 ") + one_line(fault->what) : "";
}

std::optional<DeviceFault> parse_fault(const std::string& line) {
  constexpr std::size_t text_begin = 2;
  if (line.size() < text_begin) return std::nullopt;
  return DeviceFault{.what = line.substr(text_begin), .is_elsewhere = line.front() == '1'};
}

std::optional<WatchMessage::Kind> kind_of(int number) {
  using enum WatchMessage::Kind;
  for (const WatchMessage::Kind kind : {state, query, end}) {
    if (static_cast<int>(kind) == number) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::string to_datagram(const WatchMessage& message, const std::string& token) {
  std::ostringstream out;
  out << "cnnplan-watch " << token << ' ' << static_cast<int>(message.kind) << ' ' << message.from
      << ' ' << message.culprit << ' ' << message.state.unchanged_s << '\n'
      << one_line(message.state.activity) << '\n'
      << one_line(message.state.call) << '\n'
      << fault_line(message.state.fault) << '\n';
  const RankList& ranks = message.state.waits_for;
  const std::ptrdiff_t count = std::min(most_ranks, std::ssize(ranks));
  for (std::ptrdiff_t i = 0; i < count; ++i) out << ranks[i] << ' ';
  return out.str();
}

std::optional<WatchMessage> parse_datagram(const std::string& datagram, const std::string& token) {
  std::istringstream in(datagram);
  std::string name;
  std::string secret;
  int kind = -1;
  WatchMessage message;
  in >> name >> secret >> kind >> message.from >> message.culprit >> message.state.unchanged_s;
  in.ignore();
  std::getline(in, message.state.activity);
  std::getline(in, message.state.call);
  std::string fault;
  std::getline(in, fault);
  message.state.fault = parse_fault(fault);
  const auto known = kind_of(kind);
  if (!in || name != "cnnplan-watch" || secret != token || !known) return std::nullopt;
  message.kind = *known;
  for (int rank = 0; in >> rank;) message.state.waits_for.push_back(rank);
  return message;
}

}  // namespace cnnplan
