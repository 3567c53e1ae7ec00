// Parses the texts that name further outputs of a model and the weights of their losses.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Names an output that has a loss besides the main one.
struct AuxiliaryOutput {
  std::string name;   // of a value of the model
  double weight = 1;  // of its loss
};

// Parses texts that have the form "NAME=WEIGHT".
// @throws InputError for other texts, for a name that occurs twice or is the main output's, and for
// a weight that losses cannot have
std::vector<AuxiliaryOutput> parse_auxiliary(const std::vector<std::string>& texts,
                                             const std::string& main_output);

}  // namespace cnnplan
