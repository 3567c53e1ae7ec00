// Solves L_H(V) = L_H(U_H) + R_H on each coarser level, and corrects the finer level by V - U_H.
#include "tests/executor/training/textbook_multigrid.hpp"

#include <cstddef>

namespace cnnplan::test {
namespace {

using Values = std::vector<double>;

// Holds the points of one level. A point is the number of layers before it.
using Points = std::vector<int>;

Points fine_points(int layers) {
  Points points;
  for (int point = 0; point <= layers; ++point) points.push_back(point);
  return points;
}

// Returns the indices of those points of a level that are also on the next level.
std::vector<std::size_t> c_points(std::size_t count, std::size_t coarsening, bool from_back) {
  std::vector<std::size_t> chosen;
  const std::size_t last = count - 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || i == last || (from_back ? last - i : i) % coarsening == 0) chosen.push_back(i);
  }
  return chosen;
}

class Textbook {
 public:
  Textbook(const ScalarChain& chain, const Multigrid& setting, bool from_back)
      : chain_(chain), setting_(setting), from_back_(from_back) {
    levels_.push_back(fine_points(static_cast<int>(chain.steps.size())));
    for (int level = 1; level < setting.levels; ++level) {
      const Points& fine = levels_.back();
      chosen_.push_back(
          c_points(fine.size(), static_cast<std::size_t>(setting.coarsening), from_back));
      Points coarse;
      for (std::size_t i : chosen_.back()) coarse.push_back(fine[i]);
      levels_.push_back(coarse);
    }
  }

  TextbookResult run(double first, const Values& previous) {
    const bool is_warm = setting_.first_guess == FirstGuess::previous;
    Values u = is_warm ? previous : guess(first);
    u.resize(levels_[0].size(), 0.0);
    u[0] = first;
    Values right_side(u.size(), 0.0);
    right_side[0] = first;
    for (int cycle = 0; cycle < setting_.cycles; ++cycle) {
      this->cycle(0, u, right_side);
      relax_f(0, u, right_side);
    }
    add_residual(u, right_side);
    return {.states = u, .residual_squares = residual_squares_};
  }

 private:
  std::size_t coarsest() const { return levels_.size() - 1; }

  // Takes one step of a level from point i: it adds the derivative times the length of the step.
  double stepped(std::size_t level, std::size_t i, double u) const {
    const Points& points = levels_[level];
    double length = 0.0;
    for (int layer = points[i]; layer < points[i + 1]; ++layer) {
      length += chain_.steps[static_cast<std::size_t>(layer)];
    }
    return u + length * chain_.derivative(points[i], u);
  }
  Values residual(std::size_t level, const Values& u, const Values& right_side) const {
    Values r(u.size());
    r[0] = right_side[0] - u[0];
    for (std::size_t i = 1; i < u.size(); ++i) {
      r[i] = right_side[i] - (u[i] - (stepped(level, i - 1, u[i - 1])));
    }
    return r;
  }
  void relax_f(std::size_t level, Values& u, const Values& right_side) const {
    const auto& chosen = chosen_[level];
    for (std::size_t c = 0; c + 1 < chosen.size(); ++c) {
      for (std::size_t i = chosen[c]; i + 1 < chosen[c + 1]; ++i) {
        u[i + 1] = stepped(level, i, u[i]) + right_side[i + 1];
      }
    }
  }
  void relax_c(std::size_t level, Values& u, const Values& right_side) const {
    const Values before = u;
    for (std::size_t c = 1; c < chosen_[level].size(); ++c) {
      const std::size_t i = chosen_[level][c];
      u[i] = stepped(level, i - 1, before[i - 1]) + right_side[i];
    }
  }
  void solve(std::size_t level, Values& u, const Values& right_side) const {
    u[0] = right_side[0];
    for (std::size_t i = 0; i + 1 < u.size(); ++i) {
      u[i + 1] = stepped(level, i, u[i]) + right_side[i + 1];
    }
  }

  void add_residual(const Values& u, const Values& right_side) {
    Values r = residual(0, u, right_side);
    const bool is_warm = setting_.first_guess == FirstGuess::previous;
    if (is_warm && setting_.relaxation == Relaxation::f) r.pop_back();
    double squares = 0.0;
    for (double one : r) squares += one * one;
    residual_squares_.push_back(squares);
  }

  void cycle(std::size_t level, Values& u, const Values& right_side) {
    if (level == coarsest()) return solve(level, u, right_side);
    relax_f(level, u, right_side);
    if (setting_.relaxation == Relaxation::fcf) {
      relax_c(level, u, right_side);
      relax_f(level, u, right_side);
    }
    if (level == 0) add_residual(u, right_side);
    const Values r = residual(level, u, right_side);
    const auto& chosen = chosen_[level];
    Values restricted;
    Values coarse_right_side;
    for (std::size_t i : chosen) restricted.push_back(u[i]);
    const Values zero(restricted.size(), 0.0);
    const Values minus_operator = residual(level + 1, restricted, zero);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      coarse_right_side.push_back(r[chosen[c]] - minus_operator[c]);
    }
    Values corrected = restricted;
    cycle(level + 1, corrected, coarse_right_side);
    if (level + 1 < coarsest()) relax_f(level + 1, corrected, coarse_right_side);
    for (std::size_t c = 0; c < chosen.size(); ++c) u[chosen[c]] += corrected[c] - restricted[c];
  }

  // Solves the coarsest level, and then computes the F-points of each finer level from its
  // C-points.
  Values guess(double first) const {
    Values u(levels_[coarsest()].size(), 0.0);
    Values right_side(u.size(), 0.0);
    right_side[0] = first;
    solve(coarsest(), u, right_side);
    for (std::size_t level = coarsest(); level-- > 0;) {
      Values fine(levels_[level].size(), 0.0);
      for (std::size_t c = 0; c < u.size(); ++c) fine[chosen_[level][c]] = u[c];
      Values none(fine.size(), 0.0);
      none[0] = first;
      if (level > 0) relax_f(level, fine, none);
      u = fine;
    }
    return u;
  }

  const ScalarChain& chain_;
  Multigrid setting_;
  bool from_back_;
  std::vector<Points> levels_;
  std::vector<std::vector<std::size_t>> chosen_;  // by level but the last
  Values residual_squares_;
};

}  // namespace

TextbookResult textbook_multigrid(const ScalarChain& chain,
                                  const Multigrid& setting,
                                  double first,
                                  bool from_back,
                                  const std::vector<double>& previous) {
  return Textbook(chain, setting, from_back).run(first, previous);
}

}  // namespace cnnplan::test
