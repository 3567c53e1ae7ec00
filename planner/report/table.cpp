// Computes the widths of columns, and formats numbers.
#include "planner/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace cnnplan {
namespace {

constexpr std::size_t column_gap = 2;
constexpr std::size_t least_first_width = 8;

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, cell.size()), ' ');
  return align == Align::left ? cell + space : space + cell;
}

std::string shortened(const std::string& cell, std::size_t most) {
  constexpr std::string_view cut = "..";
  if (cell.size() <= most) return cell;
  return cell.substr(0, most - cut.size()) + std::string(cut);
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a row needs one cell per column");
  rows_.push_back(std::move(cells));
}

void Table::hide_empty_columns() {
  for (std::size_t c = columns_.size(); c-- > 0;) {
    const bool is_empty = std::all_of(rows_.begin(), rows_.end(), [c](const auto& row) {
      return row.empty() || row[c].empty() || row[c] == "-";
    });
    if (!is_empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    columns_.erase(columns_.begin() + at);
    for (auto& row : rows_) {
      if (!row.empty()) row.erase(row.begin() + at);
    }
  }
}

std::vector<std::size_t> Table::widths_within(std::size_t most) const {
  std::vector<std::size_t> widths;
  std::size_t total = columns_.empty() ? 0 : column_gap * (columns_.size() - 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row.empty() ? 0 : row[c].size());
    widths.push_back(width);
    total += width;
  }
  if (total <= most || widths.front() <= least_first_width) return widths;
  widths.front() -= std::min(total - most, widths.front() - least_first_width);
  return widths;
}

std::string Table::to_text(std::size_t most) const {
  const std::vector<std::size_t> widths = widths_within(most);
  std::size_t total = columns_.empty() ? 0 : column_gap * (columns_.size() - 1);
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    total += widths[c];
  }
  const auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line.append(column_gap, ' ');
      const std::string cell = c == 0 ? shortened(cells[c], widths[c]) : cells[c];
      line += padded(cell, widths[c], columns_[c].align);
    }
    return without_trailing_space(line) + '\n';
  };
  const std::string rule = std::string(total, '-') + '\n';
  std::string text = line_of(titles) + rule;
  for (const auto& row : rows_) text += row.empty() ? rule : line_of(row);
  return text;
}

std::string short_split(std::string split) {
  constexpr std::string_view algorithm = "stationary_";
  const std::size_t at = split.find(algorithm);
  return at == std::string::npos ? split : split.erase(at, algorithm.size());
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  const std::string text(buffer.data(), std::min<std::size_t>(buffer.size() - 1, length));
  const bool is_negative_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_negative_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string significant(double value, int digits) {
  const double size = std::fabs(value);
  const int before = size > 0.0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  return fixed(value, std::max(0, digits - before));
}

SiPrefix si_prefix(double value) {
  constexpr std::array<const char*, 5> names{"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  double factor = 1.0;
  while (std::fabs(value) >= 1e3 * factor && prefix + 1 < names.size()) {
    factor *= 1e3;
    ++prefix;
  }
  return {.name = names[prefix], .factor = factor};
}

std::string with_prefix(double value, const std::string& unit) {
  const SiPrefix prefix = si_prefix(value);
  return fixed(value / prefix.factor, 3) + ' ' + prefix.name + unit;
}

std::string milliseconds(double seconds) {
  return seconds == 0.0 ? "-" : fixed(seconds * 1e3, 3);
}

std::string duration(double seconds) {
  const double size = std::fabs(seconds);
  if (size >= 1.0) return fixed(seconds, 3) + " s";
  if (size >= 1e-3) return fixed(seconds * 1e3, 3) + " ms";
  return fixed(seconds * 1e6, 3) + " us";
}

std::string percent(double fraction) {
  return fixed(fraction * 100, 1) + " %";
}

}  // namespace cnnplan
