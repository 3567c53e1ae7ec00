// Computes the widths of columns, and formats numbers.
#include "planner/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>

namespace cnnplan {
namespace {

constexpr std::size_t column_gap = 2;

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, cell.size()), ' ');
  return align == Align::left ? cell + space : space + cell;
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

std::string Table::to_text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  std::size_t total = columns_.empty() ? 0 : column_gap * (columns_.size() - 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row.empty() ? 0 : row[c].size());
    widths.push_back(width);
    titles.push_back(columns_[c].title);
    total += width;
  }
  const auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line.append(column_gap, ' ');
      line += padded(cells[c], widths[c], columns_[c].align);
    }
    return without_trailing_space(line) + '\n';
  };
  const std::string rule = std::string(total, '-') + '\n';
  std::string text = line_of(titles) + rule;
  for (const auto& row : rows_) text += row.empty() ? rule : line_of(row);
  return text;
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
