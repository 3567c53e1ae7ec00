// Plain text tables: aligned columns, no colours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cnnplan {

enum class Align { left, right };

struct Column {
  std::string title;  // with its unit: "forward [ms]"
  Align align = Align::right;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // @throws logic_error unless there is one cell per column
  void add_row(std::vector<std::string> cells);
  // A line across before the next row.
  void add_rule() { rows_.emplace_back(); }
  // Titles, a line, rows; columns two spaces apart, no spaces at the end of a line.
  std::string to_text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a line across
};

// "a, b, c"
std::string joined(const std::vector<std::string>& texts);
// Fixed number of decimals; what rounds to zero has no sign.
std::string fixed(double value, int decimals);
// So many digits that count: "0.00370".
std::string significant(double value, int digits);
// Seconds as milliseconds with three decimals, without the unit; "-" for exactly 0.
std::string milliseconds(double seconds);
// Seconds in the unit that reads best: "1.235 s", "12.346 ms", "1.235 us".
std::string duration(double seconds);
// A fraction as "12.3 %".
std::string percent(double fraction);

}  // namespace cnnplan
