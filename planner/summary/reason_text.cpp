// Has a sentence for every reason.
#include "planner/summary/reason_text.hpp"

#include <cmath>

#include "planner/base/bytes_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {

std::string ms(double seconds) {
  constexpr int digits = 3;
  return significant(seconds * 1e3, digits);
}

std::string subject(Cost cost) {
  switch (cost) {
    case Cost::kernels:
      return "kernels";
    case Cost::reductions:
      return "reducing gradients";
    case Cost::updates:
      return "updating weights";
    case Cost::halos:
      return "exchanging halos";
    case Cost::channels:
      return "exchanging channels";
    case Cost::shuffles:
      return "moving tensors between splits";
    case Cost::statistics:
      return "summing batch norms and losses";
    case Cost::copies:
      return "moving concatenated channels";
    case Cost::loading:
      return "loading samples";
  }
  return "";
}

std::string more_or_less(double seconds) {
  return ms(std::fabs(seconds)) + (seconds < 0.0 ? " ms less" : " ms more");
}

namespace {

// Writes counts of gradients in millions, or in thousands below a million.
std::string large_number(std::int64_t gradients) {
  constexpr int digits = 3;
  const auto count = static_cast<double>(gradients);
  if (gradients >= 1'000'000) return significant(count / 1e6, digits) + " million";
  if (gradients >= 1'000) return significant(count / 1e3, digits) + " thousand";
  return std::to_string(gradients);
}

std::string verb_phrase(Cost cost) {
  return subject(cost) + (cost == Cost::kernels ? " take" : " takes");
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

double paid_s(const Reason& reason) {
  return reason.paid ? reason.paid->more_s() : 0.0;
}

// Says what the plan pays for what it saves, so that the sentence adds up to the difference of the
// steps. A cost below a tenth of the saving counts to the rest. A rest that rounding hides is left
// out.
std::string paid_text(const Reason& reason) {
  constexpr double own_words = 0.1;
  constexpr double shown = 0.01;
  const double saved_s = -reason.saved.more_s();
  double rest_s = reason.rest_s;
  std::string text;
  if (paid_s(reason) < own_words * saved_s) {
    rest_s += paid_s(reason);
  } else if (reason.paid) {
    text = ", " + subject(reason.paid->cost) + ' ' + more_or_less(paid_s(reason));
  }
  if (std::fabs(rest_s) < shown * saved_s) return text;
  return text + ", all else " + more_or_less(rest_s);
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
  return verb_phrase(reason.paid->cost) + ' ' + more_or_less(paid_s(reason)) + " than on " + fewer +
         ", where data parallelism";
}

// Begins the sentence about ranks that data parallelism leaves idle.
std::string idle_text(const Reason& reason, const Rival& rival, int ranks) {
  const int idle = ranks - rival.ranks;
  if (reason.is_small_batch) {
    return "By samples, batch " + std::to_string(rival.ranks) + " feeds only " +
           counted(rival.ranks, "rank") + "; on " + std::to_string(ranks) + ", ";
  }
  return capital(name_of_rival(rival, ranks)) + " leaves " + counted(idle, "rank") +
         (idle == 1 ? " idle; with it, " : " idle; with them, ");
}

}  // namespace

std::string data_parallelism_on(int its_ranks, int ranks) {
  return its_ranks == ranks ? "data parallelism"
                            : "data parallelism on " + counted(its_ranks, "rank");
}

std::string name_of_rival(const Rival& rival, int ranks) {
  if (rival.kind == RivalKind::next) return "the next plan (" + rival.plan + ")";
  return data_parallelism_on(rival.ranks, ranks);
}

Reason briefer(Reason reason) {
  if (reason.kind == ReasonKind::too_many_ranks) return reason;
  if (!reason.paid) {
    reason.plan_gradients = reason.rival_gradients;
    return reason;
  }
  reason.rest_s += paid_s(reason);
  reason.paid.reset();
  return reason;
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
      return idle_text(reason, rival, ranks) + compared(reason.saved) + paid_text(reason) + '.';
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
