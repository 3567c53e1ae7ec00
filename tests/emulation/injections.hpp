// Counts calls by name, and keeps the errors that a test asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cnnplan::emulation {

class Injections {
 public:
  // Makes the `nth` call of `next` with this name from now on return `error`.
  void add(const std::string& name, int nth, int error) {
    planned_[name].push_back({.call = calls_[name] + nth, .error = error});
  }
  // Returns 0 when nothing is planned for this call.
  int next(const std::string& name) {
    const std::int64_t call = ++calls_[name];
    for (const Planned& planned : planned_[name]) {
      if (planned.call == call) return planned.error;
    }
    return 0;
  }
  std::int64_t calls(const std::string& name) const {
    const auto found = calls_.find(name);
    return found == calls_.end() ? 0 : found->second;
  }

 private:
  struct Planned {
    std::int64_t call = 0;
    int error = 0;
  };
  std::map<std::string, std::int64_t> calls_;
  std::map<std::string, std::vector<Planned>> planned_;
};

}  // namespace cnnplan::emulation
