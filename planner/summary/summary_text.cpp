// Fits the sentences of a summary into few lines.
#include "planner/summary/summary_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "planner/base/bytes_text.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/table.hpp"
#include "planner/summary/reason_text.hpp"

namespace cnnplan {
namespace {

std::string ranks_text(int ranks) {
  return counted(ranks, "rank");
}

// Writes a whole number with commas between thousands, or three digits below a hundred.
std::string rate_text(double rate) {
  constexpr int digits = 3;
  if (rate < 100.0) return significant(rate, digits);
  const std::string plain = fixed(rate, 0);
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && (plain.size() - i) % 3 == 0) text += ',';
    text += plain[i];
  }
  return text;
}

struct TimeScale {
  double seconds = 1.0;
  std::string name;
};

TimeScale scale_of(double seconds) {
  if (seconds >= 1.0) return {1.0, "s"};
  if (seconds >= 1e-3) return {1e-3, "ms"};
  return {1e-6, "us"};
}

// Writes three significant digits, because no prediction is more exact.
std::string in_scale(double seconds, const TimeScale& scale) {
  constexpr int digits = 3;
  return significant(seconds / scale.seconds, digits);
}

std::string short_duration(double seconds) {
  const TimeScale scale = scale_of(seconds);
  return in_scale(seconds, scale) + " " + scale.name;
}

std::string title(const Summary& summary) {
  return summary.network + " on " + ranks_text(summary.ranks) + ", batch " +
         std::to_string(summary.batch) + ", " + summary.precision;
}

std::string by_groups(const Summary& summary) {
  std::string text;
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    text += (i == 0 ? "" : "; ") + summary.group_names[i] + ": " + summary.groups[i].words;
  }
  return text;
}

// Lists the most frequent splits, at most `most` of them.
std::string by_counts(const Summary& summary, std::size_t most) {
  std::string text;
  int others = 0;
  for (std::size_t i = 0; i < summary.counts.size(); ++i) {
    const SplitCount& count = summary.counts[i];
    if (i >= most) {
      others += count.layers;
      continue;
    }
    text += (i == 0 ? "" : "; ") + std::to_string(count.layers) + (i == 0 ? " layers: " : ": ") +
            count.words;
  }
  return others == 0 ? text : text + "; " + std::to_string(others) + " in other ways";
}

// Lists the two most frequent splits in few words.
std::string two_splits(const Summary& summary) {
  const SplitCount& first = summary.counts[0];
  const SplitCount& second = summary.counts[1];
  int others = -first.layers - second.layers;
  for (const SplitCount& count : summary.counts) others += count.layers;
  return std::to_string(first.layers) + " layers: " + first.short_words + "; " +
         std::to_string(second.layers) + ": " + second.short_words +
         (others == 0 ? "" : "; " + counted(others, "other"));
}

// Says which data-parallel run a plan is compared with. Neither or both of them overlap.
std::string data_parallel_name(const Summary& summary) {
  const int ranks = summary.ratio->ranks;
  std::string text = data_parallelism_on(ranks, summary.ranks);
  if (ranks > 1) text += summary.overlap ? " with overlap" : " without overlap";
  return text;
}

// The text is empty where both need the same memory, or the plan file does not say.
std::string data_parallel_memory_text(const Summary& summary) {
  const std::int64_t bytes = summary.ratio->memory_bytes;
  const std::string needed = bytes_text(bytes);
  return bytes == 0 || needed == bytes_text(summary.memory_bytes) ? "" : ", which needs " + needed;
}

std::string ratio_text(const Summary& summary) {
  if (summary.too_large) return "data parallelism does not fit";
  if (!summary.ratio) return "";
  const bool is_itself = summary.is_data_parallel && summary.ratio->ranks == summary.ranks;
  if (is_itself && !summary.was_searched) return "data parallelism as given, without a search";
  if (is_itself) return "plain data parallelism is best";
  return times_as_fast(summary.ratio->ratio) + " as " + data_parallel_name(summary) +
         data_parallel_memory_text(summary);
}

std::string speed_text(const Summary& summary, double samples_per_s) {
  return rate_text(samples_per_s) + (summary.has_images ? " images/s" : " samples/s");
}

// Returns text such as " (1.76 to 5.79)" in the unit of the step, where estimates make the step
// uncertain.
std::string range_text(const Summary& summary) {
  constexpr double exact = 0.05;
  const double range_s = summary.high_s - summary.low_s;
  if (!(summary.low_s > 0.0) || range_s <= exact * summary.step_s) return "";
  const TimeScale scale = scale_of(summary.step_s);
  return " (" + in_scale(summary.low_s, scale) + " to " + in_scale(summary.high_s, scale) + ")";
}

std::string step_text(const Summary& summary) {
  std::string text = short_duration(summary.step_s) + range_text(summary);
  text += ", " + speed_text(summary, summary.samples_per_s);
  const std::string ratio = ratio_text(summary);
  return text + (ratio.empty() ? "" : "; " + ratio);
}

std::string memory_text(const Summary& summary) {
  std::string text = (summary.any_estimated ? "at least " : "") + bytes_text(summary.memory_bytes);
  if (summary.available_bytes > 0) text += " of " + bytes_text(summary.available_bytes);
  return text + " per rank";
}

// Says by how much the slower one of plan and rival is slower, where the steps are close or the
// rival is faster.
std::string difference_text(const Summary& summary, const Rival& rival) {
  constexpr double close = 0.1;
  constexpr double shown = 0.001;
  const double slower = rival.step_s / summary.step_s - 1.0;
  if (slower >= close) return "";
  if (slower >= 0.0 && slower < shown) return ", which is less than 0.1 % slower,";
  if (slower < 0.0 && slower > -shown) return ", which is less than 0.1 % faster,";
  if (slower >= 0.0) return ", which is " + percent(slower) + " slower,";
  return ", which is " + percent(summary.step_s / rival.step_s - 1.0) + " faster,";
}

// Returns "a", "a and b" or "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

// Says what the sentence of how sure has besides the draws.
enum class Wording {
  full,         // by how much the rival is slower, and what would settle the choice
  usual,        // what would settle the choice
  one_layer,    // the layer whose kernels count most
  short_names,  // one layer, no figure, rivals without plan and ranks, draws without their kind
  command,      // the command alone, names as short
  brief,
};

// Names what to measure, and the command. These are the layers whose estimated kernels count most,
// or the figure, unless it explains little or the text has to be short. A profile keeps the times
// that it has, so kernels that were timed go into another one.
std::string settling_text(const Summary& summary, Wording wording) {
  const Confidence& confidence = *summary.confidence;
  const std::size_t most_layers = wording <= Wording::usual ? 3 : 1;
  std::vector<std::string> layers = confidence.layers;
  layers.resize(std::min(layers.size(), most_layers));
  constexpr double enough = 0.2;
  const bool is_clear = confidence.wins[confidence.closest].draws == confidence.draws;
  const std::string begin = is_clear ? "to confirm it" : "to settle it";
  const auto with = [&](const std::string& what, const std::string& command) {
    if (wording == Wording::command) return begin + ": " + unbroken(command);
    return begin + ", time " + what + " (" + unbroken(command) + ")";
  };
  const std::string of_kernels = missing_command(summary.profile_start, summary.plan_file);
  if (!layers.empty()) return with(listed(layers), of_kernels);
  const bool by_links = confidence.measurement == Measurement::links;
  const std::string all = by_links ? "links" : "kernels";
  const bool has_space = by_links || wording != Wording::short_names;
  const bool is_named = confidence.share >= enough && has_space;
  return with(is_named ? confidence.figure : all,
              by_links ? links_advice(summary.ranks) : of_kernels + " -o again.json");
}

bool usually_loses(const Wins& wins, int draws) {
  return 2 * wins.draws < draws;
}

// Returns the number of draws in which the plan wins, or in which it loses if these are more.
std::string most_draws(const Wins& wins, int draws) {
  return std::to_string(usually_loses(wins, draws) ? draws - wins.draws : wins.draws);
}

// Returns text such as "Beats data parallelism in 16 of 32 draws". `rival` is the name of
// the rival, which may have a clause after it.
std::string wins_text(const Wins& wins, const std::string& rival, int draws) {
  return (usually_loses(wins, draws) ? "Loses against " : "Beats ") + rival + " in " +
         most_draws(wins, draws) + " of " + std::to_string(draws) + " draws";
}

// Returns text such as ", and data parallelism in 31", which follows the draws of the closest
// rival. The text is empty if the closest rival is data parallelism. The plan never wins more often
// against the closest rival than against another one.
std::string data_parallel_text(const Summary& summary, bool is_short) {
  const Confidence& confidence = *summary.confidence;
  if (!confidence.data_parallel) return "";
  const Wins& wins = confidence.wins[*confidence.data_parallel];
  const bool loses_first = usually_loses(confidence.wins[confidence.closest], confidence.draws);
  const bool loses = usually_loses(wins, confidence.draws);
  return (loses         ? ", and against "
          : loses_first ? ", but beats "
                        : ", and ") +
         (is_short ? "data parallelism"
                   : name_of_rival(summary.rivals.at(wins.rival), summary.ranks)) +
         " in " + most_draws(wins, confidence.draws);
}

// Without a figure that decides, the plan and its closest rival do the same in all draws.
std::string no_difference_text(const Summary& summary, const std::string& rival) {
  const Confidence& confidence = *summary.confidence;
  std::string text = "No figure of the machine makes " + rival + " differ.";
  if (!confidence.data_parallel) return text;
  const Wins& wins = confidence.wins[*confidence.data_parallel];
  const std::string name = name_of_rival(summary.rivals.at(wins.rival), summary.ranks);
  return text + ' ' + wins_text(wins, name, confidence.draws) + " of errors.";
}

std::string confidence_text(const Summary& summary, Wording wording) {
  const Confidence& confidence = *summary.confidence;
  const Wins& closest = confidence.wins[confidence.closest];
  const Rival& rival = summary.rivals.at(closest.rival);
  const bool is_short = wording == Wording::short_names || wording == Wording::command;
  const bool is_next = rival.kind == RivalKind::next;
  std::string name = is_short && is_next ? "the next plan" : name_of_rival(rival, summary.ranks);
  if (confidence.figure.empty()) return no_difference_text(summary, name);
  if (wording == Wording::full) name += difference_text(summary, rival);
  const std::string text = wins_text(closest, name, confidence.draws) +
                           (is_short ? "" : " of errors") + data_parallel_text(summary, is_short);
  if (wording == Wording::brief) return text + '.';
  return text + "; " + settling_text(summary, wording) + '.';
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A sentence of the summary has at most this many lines, unless names are long.
constexpr std::size_t most_sentence_lines = 2;

// Makes the sentence brief where it would be too long.
std::string why(const Summary& summary, std::size_t width) {
  constexpr int most_cuts = 2;
  Reason reason = *summary.reason;
  const auto lines = [&] {
    return wrapped(
        "why     ", to_text(reason, summary.rivals, summary.ranks, summary.available_bytes), width);
  };
  std::string text = lines();
  for (int cut = 0; cut < most_cuts && lines_of(text) > most_sentence_lines; ++cut) {
    reason = briefer(reason);
    text = lines();
  }
  return text;
}

// A sentence on how sure the choice is has one line more, if it is about two rivals.
std::size_t most_sure_lines(const Summary& summary) {
  return most_sentence_lines + (summary.confidence && summary.confidence->data_parallel ? 1 : 0);
}

// True if the text has at most `most` lines, and none of them is wider than `width` columns.
bool fits(const std::string& text, std::size_t most, std::size_t width) {
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line); ++count) {
    if (line.size() > width) return false;
  }
  return count <= most;
}

// Leaves out what the sentence can spare where it would be longer than `most` lines. A command that
// goes over two lines is better than none.
std::string sure(const Summary& summary, std::size_t width, std::size_t most) {
  const auto lines = [&](Wording wording, bool is_broken) {
    std::string sentence = confidence_text(summary, wording);
    if (is_broken) std::replace(sentence.begin(), sentence.end(), unbroken_space, ' ');
    return wrapped("sure    ", sentence, width);
  };
  const auto first_fit = [&](bool is_broken, std::size_t limit) -> std::string {
    for (const Wording wording :
         {Wording::full, Wording::usual, Wording::one_layer, Wording::short_names}) {
      if (is_broken && wording < Wording::one_layer) continue;
      std::string text = lines(wording, is_broken);
      if (fits(text, limit, width)) return text;
    }
    return {};
  };
  const std::size_t few = std::min(most, most_sentence_lines);
  if (std::string text = first_fit(false, few); !text.empty()) return text;
  if (std::string text = first_fit(true, few); !text.empty()) return text;
  for (const bool is_broken : {false, true}) {
    std::string text = lines(Wording::one_layer, is_broken);
    if (fits(text, most, width)) return text;
  }
  for (const bool is_broken : {false, true}) {
    std::string text = lines(Wording::command, is_broken);
    if (fits(text, most, width)) return text;
  }
  return lines(Wording::brief, false);
}

// Returns texts of the plan, the most detailed one first. The second split is named before it joins
// the other ways, in short words if need be.
std::vector<std::string> plan_texts(const Summary& summary) {
  std::vector<std::string> texts{by_groups(summary)};
  for (std::size_t most = summary.counts.size(); most > 0; --most) {
    if (most == 1 && summary.counts.size() > 1) texts.push_back(two_splits(summary));
    texts.push_back(by_counts(summary, most));
  }
  return texts;
}

}  // namespace

std::string times_as_fast(double ratio) {
  constexpr int decimals = 2;
  const std::string number = fixed(ratio, decimals);
  return number == "1.00" ? "as fast" : number + " times as fast";
}

std::string measured_text(const Summary& summary, double measured_s) {
  const double error = summary.step_s / measured_s - 1.0;
  const std::string off =
      fixed(error * 100, 1) == "0.0"
          ? "right"
          : percent(std::fabs(error)) + (error < 0.0 ? " too short" : " too long");
  return "Predicted " + short_duration(summary.step_s) + " per step (" +
         speed_text(summary, summary.samples_per_s) + "), measured " + short_duration(measured_s) +
         " (" + speed_text(summary, static_cast<double>(summary.batch) / measured_s) +
         "): the prediction is " + off + '.';
}

std::string to_text(const Summary& summary, std::size_t width) {
  const bool is_measured = summary.measured_s && *summary.measured_s > 0.0;
  std::string head =
      is_measured ? wrapped("", measured_text(summary, *summary.measured_s), width) : "";
  head += wrapped("", title(summary) + ", " + memory_text(summary), width);
  const std::string step =
      wrapped("step    ", step_text(summary), width) + (summary.reason ? why(summary, width) : "");
  const bool is_sure = summary.confidence && !is_measured;
  std::string text;
  for (std::size_t most = most_sure_lines(summary); most > 0; --most) {
    const std::string rest = step + (is_sure ? sure(summary, width, most) : "");
    for (const std::string& plan : plan_texts(summary)) {
      text = head;
      text.append(wrapped("plan    ", plan, width)).append(rest);
      if (lines_of(text) <= most_summary_lines) return text;
    }
  }
  return text;
}

std::string with_colours(std::string summary_text) {
  constexpr std::string_view loses = "Loses against";
  if (const std::size_t at = summary_text.find(loses); at != std::string::npos) {
    summary_text.replace(at, loses.size(), emphasised(loses, Emphasis::warning));
  }
  const std::size_t plan = summary_text.find("\nplan    ");
  if (plan == std::string::npos) return summary_text;
  return emphasised(summary_text.substr(0, plan), Emphasis::strong) + summary_text.substr(plan);
}

std::string shown_text(const Summary& summary) {
  std::string text = to_text(summary, columns_of(STDOUT_FILENO));
  return has_colours(STDOUT_FILENO) ? with_colours(std::move(text)) : text;
}

}  // namespace cnnplan
