// Says where, when and how a run is made, for its run file.
#pragma once

#include <map>
#include <string>

namespace cnnplan {

// Returns entries of RunReport::environment. "host" is the node of this process, "processor" is the
// model of its processor, and "date" is the present time in UTC, as ISO 8601. "command" and
// "commit", which is that of the program, are what the caller says. What is empty has no entry.
std::map<std::string, std::string> run_origin(const std::string& command,
                                              const std::string& commit);

}  // namespace cnnplan
