// Writes plain text tables with aligned columns and without colours.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace cnnplan {

enum class Align { left, right };

// Describes a column of a table.
struct Column {
  std::string title;  // with its unit: "forward [ms]"
  Align align = Align::right;
};

// Collects rows of cells, and writes them as lines of text.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Appends a row. @throws logic_error unless there is one cell per column
  void add_row(std::vector<std::string> cells);
  // Draws a line across before the next row.
  void add_rule() { rows_.emplace_back(); }
  // Leaves out every column whose cells are all empty or "-".
  void hide_empty_columns();
  // Writes titles, a line and rows. Columns are two spaces apart, and no line ends with spaces.
  // Where lines have more than `most` characters, cells of the first column are cut, and end with
  // "..". They keep at least 8 characters.
  std::string to_text(std::size_t most = std::numeric_limits<std::size_t>::max()) const;

 private:
  // Returns the width of each column.
  std::vector<std::size_t> widths_within(std::size_t most) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a line across
};

// Shortens names of channel algorithms in a split: "c4n16 stationary_w" becomes "c4n16 w".
std::string short_split(std::string split);
// Returns the texts as "a, b, c".
std::string joined(const std::vector<std::string>& texts);
// Writes a fixed number of decimals. A value that rounds to zero has no sign.
std::string fixed(double value, int decimals);
// Writes this number of significant digits: "0.00370".
std::string significant(double value, int digits);
// Holds a prefix of SI units, and the factor that it stands for: {"G", 1e9}.
struct SiPrefix {
  const char* name = "";
  double factor = 1.0;
};
// Returns the largest prefix that leaves the value at 1 or more, from none to tera.
SiPrefix si_prefix(double value);
// Writes a value with an SI prefix: "1.200 Gflop".
std::string with_prefix(double value, const std::string& unit);
// Writes seconds as milliseconds with three decimals, without the unit. Exactly 0 is "-".
std::string milliseconds(double seconds);
// Writes seconds in the unit that reads best: "1.235 s", "12.346 ms", "1.235 us".
std::string duration(double seconds);
// Writes a fraction as "12.3 %".
std::string percent(double fraction);

}  // namespace cnnplan
