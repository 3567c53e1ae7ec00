// Turns the messages between watchdogs into datagrams and back.
#pragma once

#include <optional>
#include <string>

#include "executor/comm/watch/rank_state.hpp"

namespace cnnplan {

// Holds a message between the watchdogs of two ranks.
struct WatchMessage {
  enum class Kind {
    state,  // what the sender does
    query,  // asks for a state, and says that the sender collects states
    end,    // tells the receiver to end; `culprit` is a silent rank to kill, or -1
  };
  Kind kind = Kind::query;
  int from = 0;      // the rank that sends
  int culprit = -1;  // for `end`
  RankState state;   // for `state`

  bool operator==(const WatchMessage&) const = default;
};

// Returns the text of a message, in which long texts and lists of ranks are cut to stay below 64
// KiB. `token` is a secret of the program's ranks, without blanks.
std::string to_datagram(const WatchMessage& message, const std::string& token);

// Returns the message of a datagram. Returns nothing for a datagram that is no message, or has
// another token.
std::optional<WatchMessage> parse_datagram(const std::string& datagram, const std::string& token);

}  // namespace cnnplan
