#include "apps/sluice/study/bound_bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/sluice/study/gnuplot.hpp"

namespace sluice::command {

std::string method_heads(const std::vector<std::string>& methods) {
  std::string text;
  for (const std::string& method : methods) text += fmt::format(",{0}_s,{0}_min_s,{0}_max_s,{0}_bounds", method);
  return text;
}

std::string method_fields(const std::vector<std::string>& methods, const LabResult& result, double bound_s) {
  std::string text;
  for (const std::string& method : methods) {
    const LabTimes& times = result.methods.at(method);
    text +=
        fmt::format(",{:.6f},{:.6f},{:.6f},{:.4f}", times.median_s, times.min_s, times.max_s, times.median_s / bound_s);
  }
  return text;
}

std::string bars_over_bound(const std::string& name, const std::string& title, const std::vector<std::string>& methods,
                            std::size_t cases, int repetitions) {
  const std::size_t bars = methods.size();
  std::string script = fmt::format(
      "{}set title \"{}: median and range of {} executions\"\nset xlabel \"time / bound\"\nset xrange [0:*]\n"
      "set yrange [{}:-1]\nset grid xtics\nset style fill solid 0.7\n"
      "set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead dashtype 2 front\nplot ",
      kNamesBesideBars, title, repetitions, (bars + 1) * cases - 1);
  for (std::size_t m = 0; m < bars; ++m) {
    const int column = kFirstMethodColumn + kMethodColumns * static_cast<int>(m);
    const std::string at = fmt::format("($0*{}+{})", bars + 1, m);
    // The name of a case stands at the middle of its bars.
    script += fmt::format(
        "{0}\"{1}.csv\" using ({3}):{2}:(0):({3}):({2}-0.5):({2}+0.5){4} every ::1 with boxxyerror linetype {5} "
        "dashtype solid title \"{6}\", \"{1}.csv\" using ({3}):{2}:(${7}/${9}):(${8}/${9}) every ::1 with xerrorbars "
        "pointtype 0 dashtype solid linecolor \"black\" notitle",
        m == 0 ? "" : ", \\\n     ", name, at, fmt::format("${}", column + 3), m == bars / 2 ? ":ytic(1)" : "", m + 1,
        methods[m], column + 1, column + 2, kFirstMethodColumn - 1);
  }
  return script + '\n';
}

int height_of_bars(const std::vector<std::string>& methods, std::size_t cases) {
  constexpr int kBar = 9, kMargin = 190, kMostHeight = 1600;
  return std::min(kMostHeight, kMargin + kBar * static_cast<int>(cases * (methods.size() + 1)));
}

}  // namespace sluice::command
