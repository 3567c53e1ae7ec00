// Compares names letter by letter.
#include "planner/base/similar_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cnnplan {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // the rows of two letters of `a` ago, one ago, and now
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      const bool is_exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (is_exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

std::vector<std::string> most_similar(std::string_view name,
                                      const std::vector<std::string>& names,
                                      std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& other : names) found.emplace_back(edit_distance(name, other), other);
  std::stable_sort(
      found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> similar;
  for (auto& [distance, other] : found) {
    if (similar.size() < most) similar.push_back(std::move(other));
  }
  return similar;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> similar = most_similar(name, names, 1);
  if (similar.empty()) return {};
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  const std::size_t distance = edit_distance(name, similar.front());
  if (distance > allowed || distance >= name.size()) return {};
  return "; did you mean " + similar.front() + '?';
}

}  // namespace cnnplan
