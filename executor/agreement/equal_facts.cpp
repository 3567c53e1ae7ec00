// Compares digests first, and the facts themselves only if digests differ.
#include "executor/agreement/equal_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "executor/comm/program.hpp"
#include "executor/comm/watch/wait_report.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

constexpr char separator = '\0';  // neither options nor names of files have one
constexpr std::string_view not_given = "not given";

std::string text_of(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    text.append(fact.name).push_back(separator);
    text.append(fact.value).push_back(separator);
  }
  return text;
}

std::vector<Fact> facts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<Fact> facts;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) facts.push_back({parts[i], parts[i + 1]});
  return facts;
}

std::string value_of(const std::string& name, const std::vector<Fact>& facts) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name == name; });
  return found == facts.end() || found->value.empty() ? std::string(not_given) : found->value;
}

// Returns the names of all ranks, each once, in the order in which they appear.
std::vector<std::string> names_of(const std::vector<std::vector<Fact>>& by_rank) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::vector<Fact>& facts : by_rank) {
    for (const Fact& fact : facts) {
      if (seen.insert(fact.name).second) names.push_back(fact.name);
    }
  }
  return names;
}

std::string difference_text(const std::string& name,
                            const std::vector<std::pair<std::string, std::vector<int>>>& values) {
  std::string text = "ranks differ in " + name + ": ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : "; ") + values[i].first + " on " + named_ranks(values[i].second);
  }
  return text + "; start all ranks alike";
}

// Throws for the first fact that differs.
void refuse_difference(const std::vector<std::vector<Fact>>& by_rank) {
  for (const std::string& name : names_of(by_rank)) {
    std::vector<std::pair<std::string, std::vector<int>>> values;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const std::string value = value_of(name, by_rank[rank]);
      const auto known = std::find_if(
          values.begin(), values.end(), [&](const auto& other) { return other.first == value; });
      auto& [text, ranks] =
          known == values.end() ? values.emplace_back(value, std::vector<int>{}) : *known;
      ranks.push_back(static_cast<int>(rank));
    }
    if (values.size() > 1) throw EnvironmentError(difference_text(name, values));
  }
}

}  // namespace

void require_equal_facts(const std::vector<Fact>& facts, const Communicator& world) {
  const std::string text = text_of(facts);
  const std::vector<std::string> digests = world.gather(sha256(text), 0);
  const bool is_equal_here = std::all_of(digests.begin(), digests.end(), [&](const auto& digest) {
    return digest == digests.front();
  });
  if (world.broadcast(std::int64_t{is_equal_here ? 1 : 0}, 0) == 1) return;
  const std::vector<std::string> texts = world.gather(text, 0);
  on_first_rank(world, [&] {
    std::vector<std::vector<Fact>> by_rank;
    for (const std::string& each : texts) by_rank.push_back(facts_of(each));
    refuse_difference(by_rank);
    throw EnvironmentError("ranks differ in the number or order of their options");
  });
}

std::string named_ranks(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks_text(ranks);
}

}  // namespace cnnplan
