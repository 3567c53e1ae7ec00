// Holds prices as sums of terms, so that a report can write out how they came about.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Holds a figure of the machine, and the amount that it is multiplied by or that it divides.
struct FormulaTerm {
  // The key in its file, such as "node.beta_s_per_byte", or "flops_per_s" for a rate. It is empty
  // for the speed of the nearest profiled kernels, and "alone_s" for a time that was computed.
  std::string figure;
  double value = 0.0;    // of the figure
  double amount = 1.0;   // messages, bytes or operations, times factors of sharing and slowdown
  std::string unit{};    // of the amount: "B", "flop"; empty: a count
  bool is_rate = false;  // the amount is divided by the figure
  double seconds() const { return is_rate ? amount / value : amount * value; }
  bool operator==(const FormulaTerm&) const = default;
};

// Says how long one operation takes on one rank that waits for nobody, as the sum of the terms.
struct Formula {
  std::string operation;  // its id
  int rank = 0;
  double seconds = 0.0;    // the price
  double low_s = 0.0;      // the lower end of its range
  double high_s = 0.0;     // the upper end of its range
  bool estimated = false;  // as in Price
  std::string what;        // what is priced, or how the price came about: "sends 2 x 114688 B"
  std::vector<FormulaTerm> terms;
  bool operator==(const Formula&) const = default;
};

}  // namespace cnnplan
