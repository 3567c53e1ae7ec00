// Outputs of a model that training compares with the labels beside its main output.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

struct AuxiliaryOutput {
  std::string name;   // of a value of the model
  double weight = 1;  // of its loss
};

// Of "NAME=WEIGHT" each. @throws InputError for other texts, for a name that is there twice or is
// the main output's, and for a weight that losses cannot have
std::vector<AuxiliaryOutput> parse_auxiliary(const std::vector<std::string>& texts,
                                             const std::string& main_output);

}  // namespace cnnplan
