// Checks options of the command line whose values are numbers within limits.
#pragma once

#include <cmath>
#include <string>

#include <CLI/CLI.hpp>

namespace cnnplan {

// Makes a validator for the function `check` of an option. It accepts numbers from `least` to
// `most`, both included. CLI::Range alone lets not-a-number pass, because each comparison with it
// is false.
inline CLI::Validator number_in(double least, double most) {
  const CLI::Range range(least, most);
  CLI::Validator result = range;
  result.operation([range](std::string& text) {
    double number = 0.0;
    const bool is_number = CLI::detail::lexical_cast(text, number) && !std::isnan(number);
    return is_number ? range(text) : "Value " + text + " is no number";
  });
  return result;
}

}  // namespace cnnplan
