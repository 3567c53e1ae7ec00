// Finds the files at hand from which a plan was made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

struct FoundFile {
  std::string name;
  std::string text;
};

// Compares files with the digests that the plan records. The first record is that of the network,
// which is left out.
class InputMatcher {
 public:
  explicit InputMatcher(const Plan& plan);

  // Returns the named file, or else the file with the default name, or else a shipped platform, if
  // the plan was made from it. A plan without records accepts any file. The file is read once.
  // @throws IoError; InputError for a file that read_file() refuses
  std::optional<FoundFile> find(const std::string& named, const std::string& standard);
  // Says why the found files do not give the prices of the plan. The text is empty if they do.
  std::string problem() const;

 private:
  // Returns a shipped platform that the plan was made from, and crosses it out.
  std::optional<FoundFile> shipped(const std::string& standard);

  bool any_;
  std::vector<InputFile> missing_;
  std::string other_;
};

}  // namespace cnnplan
