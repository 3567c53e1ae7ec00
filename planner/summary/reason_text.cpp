// Has a sentence for every reason.
#include "planner/summary/reason_text.hpp"

#include <algorithm>

#include "planner/base/bytes_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// Milliseconds with three significant digits, without the unit.
std::string ms(double seconds) {
  constexpr int digits = 3;
  return significant(seconds * 1e3, digits);
}

// Writes counts of gradients in millions, or in thousands below a million.
std::string large_number(std::int64_t gradients) {
  constexpr int digits = 3;
  const auto count = static_cast<double>(gradients);
  if (gradients >= 1'000'000) return significant(count / 1e6, digits) + " million";
  if (gradients >= 1'000) return significant(count / 1e3, digits) + " thousand";
  return std::to_string(gradients);
}

std::string verb_phrase(Cost cost) {
  switch (cost) {
    case Cost::kernels:
      return "kernels take";
    case Cost::reductions:
      return "reducing gradients takes";
    case Cost::updates:
      return "updating weights takes";
    case Cost::halos:
      return "exchanging halos takes";
    case Cost::channels:
      return "exchanging channels takes";
    case Cost::shuffles:
      return "moving tensors between splits takes";
    case Cost::statistics:
      return "summing batch norms and losses takes";
    case Cost::copies:
      return "moving concatenated channels takes";
    case Cost::loading:
      return "loading samples takes";
  }
  return "";
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

// Returns text such as "reducing gradients takes 4.41 instead of 51.2 ms".
std::string compared(const ComparedCost& cost) {
  if (cost.plan_s == 0.0) {
    std::string phrase = verb_phrase(cost.cost);
    return phrase + " no time instead of " + ms(cost.rival_s) + " ms";
  }
  return verb_phrase(cost.cost) + ' ' + ms(cost.plan_s) + " instead of " + ms(cost.rival_s) + " ms";
}

// The text is empty where the plan pays less than a tenth of what it saves.
std::string paid_text(const Reason& reason) {
  if (!reason.paid) return "";
  const double saved_s = reason.saved.rival_s - reason.saved.plan_s;
  const double paid_s = reason.paid->plan_s - reason.paid->rival_s;
  if (paid_s < 0.1 * saved_s) return "";
  return "; " + verb_phrase(reason.paid->cost) + ' ' + ms(paid_s) + " ms more";
}

bool has_fewer_gradients(const Reason& reason) {
  return reason.saved.cost == Cost::reductions && reason.plan_gradients < reason.rival_gradients;
}

std::string gradients_text(const Reason& reason) {
  const std::int64_t spared = reason.gradients - reason.plan_gradients;
  return "On each rank " + large_number(spared) + " of " + large_number(reason.gradients) +
         " gradients need no reduction";
}

// Names the cost of which the plan pays most more than data parallelism on fewer ranks. Where it
// pays no cost more, its step is no shorter, so no part of it can be much shorter either.
std::string too_many_text(const Reason& reason, const Rival& rival) {
  const std::string fewer = counted(rival.ranks, "rank");
  if (!reason.paid) return "they do nothing faster than " + fewer + ", where data parallelism";
  return verb_phrase(reason.paid->cost) + ' ' + ms(reason.paid->plan_s - reason.paid->rival_s) +
         " ms more than on " + fewer + ", where data parallelism";
}

}  // namespace

std::string name_of_rival(const Rival& rival, int ranks) {
  if (rival.kind == RivalKind::next) return "the next plan (" + rival.plan + ")";
  if (rival.ranks == ranks) return "data parallelism";
  return "data parallelism on " + counted(rival.ranks, "rank");
}

std::string to_text(const Reason& reason,
                    const std::vector<Rival>& rivals,
                    int ranks,
                    std::int64_t available_bytes) {
  const Rival& rival = rivals.at(reason.rival);
  switch (reason.kind) {
    case ReasonKind::memory:
      return capital(name_of_rival(rival, ranks)) + " needs " + bytes_text(rival.memory_bytes) +
             " per rank, which has " + bytes_text(available_bytes) + '.';
    case ReasonKind::too_many_ranks:
      return std::to_string(ranks) + " ranks are too many: " + too_many_text(reason, rival) +
             " takes " + ms(rival.step_s) + " ms per step.";
    case ReasonKind::more_ranks:
      return capital(name_of_rival(rival, ranks)) + " leaves " +
             counted(ranks - rival.ranks, "rank") +
             (ranks - rival.ranks == 1 ? " idle; with it, " : " idle; with them, ") +
             compared(reason.saved) + paid_text(reason) + '.';
    case ReasonKind::less_of_cost:
      break;
  }
  const std::string saved = compared(reason.saved);
  const std::string side =
      rival.kind == RivalKind::next ? "Compared with " + name_of_rival(rival, ranks) + ", " : "";
  if (has_fewer_gradients(reason) && side.empty()) {
    return gradients_text(reason) + ", so " + saved + paid_text(reason) + '.';
  }
  return (side.empty() ? capital(saved) : side + saved) + paid_text(reason) + '.';
}

}  // namespace cnnplan
