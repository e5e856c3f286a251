// The page of `geak profile --html`: a roofline and a table, with nothing from elsewhere.
//
// The roofline is that of instructions (Ding and Williams, "An Instruction Roofline Model for
// GPUs", 2019): executed wave instructions a second over wave instructions a byte. The counters are
// exact for instructions of every type, which they are not for floating-point operations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/profile_data.h"
#include "emulator/model/device.h"
#include "emulator/model/rates.h"

namespace geak::cli {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// A decade-wide logarithmic axis: from value to pixels.
struct Axis {
  double low, high;   // exponents of ten
  double begin, end;  // pixels
  double at(double value) const {
    const double place = (std::log10(value) - low) / (high - low);
    return begin + std::clamp(place, 0.0, 1.0) * (end - begin);
  }
};

struct Point {
  const KernelProfile* kernel;
  const char* level;
  double intensity, rate;  // wave instructions a byte; giga wave instructions a second
};

struct Roof {
  const char* level;
  const char* colour;
  double gb_per_s;
};

class Roofline {
 public:
  Roofline(const Profile& profile, const emulator::DeviceDescription& device) {
    const auto rates = emulator::memory_rates(device);
    const double ghz = device.engine_mhz / 1000.0;
    peak_ = device.compute_units * device.simds_per_cu * ghz / emulator::rates::kVectorCycles;
    roofs_ = {{"l1", "#2a9d8f", device.compute_units * ghz * 64 * emulator::rates::kLinesPerCycle},
              {"l2", "#e9a23b", rates.l2_gb_per_s},
              {"memory", "#d1495b", device.memory_mhz * 2e-3 * device.memory_bus_bits / 8}};
    for (const KernelProfile& kernel : profile.kernels) add(kernel);
    scale();
  }

  std::string svg() const {
    std::string text = fmt::format(
        "<svg viewBox=\"0 0 900 520\" role=\"img\" aria-label=\"Roofline\">\n{}{}{}{}</svg>\n",
        grid(), roofs(), ceiling(), points());
    return text;
  }

 private:
  void add(const KernelProfile& kernel) {
    const auto instructions = kernel.sums.value("instructions", 0.0);
    for (const Roof& roof : roofs_) {
      const double bytes = kernel.sums.value(
          nlohmann::json::json_pointer(fmt::format("/levels/{}_bytes", roof.level)), 0.0);
      if (bytes > 0 && instructions > 0)
        points_.push_back(
            {&kernel, roof.level, instructions / bytes, kernel.metrics.instructions_per_ns});
    }
  }

  void scale() {
    double left = 1e-3, right = 1, low = peak_ / 1e3;
    for (const Point& point : points_) {
      left = std::min(left, point.intensity);
      right = std::max(right, point.intensity * 2);
      low = std::min(low, point.rate);
    }
    x_ = {std::floor(std::log10(left)), std::ceil(std::log10(right)), 70, 880};
    y_ = {std::floor(std::log10(low)), std::ceil(std::log10(peak_)), 470, 20};
  }

  std::string grid() const {
    std::string text;
    for (double exponent = x_.low; exponent <= x_.high; ++exponent) {
      const double x = x_.at(std::pow(10, exponent));
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"20\" x2=\"{0:.1f}\" y2=\"470\"/>"
          "<text x=\"{0:.1f}\" y=\"488\" text-anchor=\"middle\">{1:g}</text>\n",
          x, std::pow(10, exponent));
    }
    for (double exponent = y_.low; exponent <= y_.high; ++exponent) {
      const double y = y_.at(std::pow(10, exponent));
      text += fmt::format(
          "<line class=\"grid\" x1=\"70\" y1=\"{0:.1f}\" x2=\"880\" y2=\"{0:.1f}\"/>"
          "<text x=\"62\" y=\"{1:.1f}\" text-anchor=\"end\">{2:g}</text>\n",
          y, y + 4, std::pow(10, exponent));
    }
    return text +
           "<text x=\"475\" y=\"512\" text-anchor=\"middle\">wave instructions a byte</text>"
           "<text transform=\"translate(16 245) rotate(-90)\" text-anchor=\"middle\">10^9 wave "
           "instructions a second</text>\n";
  }

  std::string roofs() const {
    std::string text;
    for (const Roof& roof : roofs_) {
      // From the left edge (or the lower one) to where the bandwidth feeds the peak.
      const double left = std::max(std::pow(10, x_.low), std::pow(10, y_.low) / roof.gb_per_s);
      const double ridge = peak_ / roof.gb_per_s;
      text += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
          "stroke-width=\"2\"><title>{}: {:.0f} GB/s</title></line>\n",
          x_.at(left), y_.at(left * roof.gb_per_s), x_.at(ridge), y_.at(peak_), roof.colour,
          roof.level, roof.gb_per_s);
    }
    return text;
  }

  std::string ceiling() const {
    return fmt::format(
        "<line class=\"peak\" x1=\"70\" y1=\"{0:.1f}\" x2=\"880\" y2=\"{0:.1f}\"><title>vector "
        "issue: {1:.0f} wave instructions a ns</title></line>\n",
        y_.at(peak_), peak_);
  }

  std::string points() const {
    std::string text;
    for (const Point& point : points_) {
      const auto roof = std::find_if(roofs_.begin(), roofs_.end(),
                                     [&](const Roof& r) { return r.level == point.level; });
      text += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.75\">"
          "<title>{}\n{}: {:.3g} instructions a byte, {:.3g} G/s, {:.1f}% of the time</title>"
          "</circle>\n",
          x_.at(point.intensity), y_.at(point.rate), 4 + 10 * std::sqrt(point.kernel->share),
          roof->colour, escaped(point.kernel->name), point.level, point.intensity, point.rate,
          point.kernel->share * 100);
    }
    return text;
  }

  double peak_ = 1;  // giga wave instructions a second
  std::vector<Roof> roofs_;
  std::vector<Point> points_;
  Axis x_{}, y_{};
};

std::string rows(const Profile& profile) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels) {
    const ProfileMetrics& m = kernel.metrics;
    const auto count = [&](const char* pointer) {
      return kernel.sums.value(nlohmann::json::json_pointer(pointer), std::uint64_t{0});
    };
    const auto bytes = [&](const char* pointer) {
      return bytes_text(static_cast<double>(count(pointer)));
    };
    text += fmt::format(
        "<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{:.1f}%</td><td>{}</td><td>{}</td>"
        "<td>{:.1f}%</td><td>{:.1f} / {:.1f}</td><td>{} / {} / {}</td><td>{:.1f}%</td>"
        "<td>{} ({:.1f}%)</td><td>{}, {}</td><td>{} / {}</td></tr>\n",
        escaped(kernel.name), kernel.launches.size(), time_text(kernel.modelled_ns),
        kernel.share * 100, escaped(kernel.bound), count("/instructions"), m.active_lanes * 100,
        m.read_lines, m.write_lines, bytes("/levels/l1_bytes"), bytes("/levels/l2_bytes"),
        bytes("/levels/memory_bytes"), m.lds_conflicts * 100, count("/barriers"),
        m.barrier_wait * 100, count("/resources/waves_per_simd"),
        escaped(kernel.sums.value(nlohmann::json::json_pointer("/resources/limit"), "?")),
        count("/resources/vgpr_spills"), count("/resources/sgpr_spills"));
  }
  return text;
}

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px; max-width: 1500px; }
h1 { font-size: 20px; margin: 0 0 4px; }
svg { width: 100%; max-width: 1000px; display: block; margin: 16px 0; }
svg text { font-size: 12px; fill: currentColor; }
.grid { stroke: currentColor; stroke-opacity: 0.15; }
.peak { stroke: currentColor; stroke-width: 2; }
.key span { display: inline-block; width: 12px; height: 12px; border-radius: 6px; margin: 0 4px 0 14px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 4px 10px; border-bottom: 1px solid rgba(128,128,128,.35); white-space: nowrap; }
td.name, th.name { text-align: left; font-family: ui-monospace, monospace; white-space: normal; }
)";

}  // namespace

std::string to_html(const Profile& profile, const std::vector<std::string>& command) {
  std::string line;
  for (const auto& word : command) line += (line.empty() ? "" : " ") + word;
  const auto* device = emulator::find_device(profile.device);
  const std::string figure =
      device && !profile.kernels.empty() ? Roofline(profile, *device).svg() : "";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>geak profile: "
      "{0}</title><style>{1}</style></head>\n<body><h1>{0}</h1>\n<p>{2} in kernels, times {3} on "
      "{4}. "
      "Instructions, lanes, lines and barriers are counted; bytes behind the L1 and times are "
      "modelled.</p>\n<p class=\"key\">Each kernel at <span style=\"background:#2a9d8f\"></span>L1 "
      "<span style=\"background:#e9a23b\"></span>L2 <span "
      "style=\"background:#d1495b\"></span>memory; "
      "lines: the peaks of each, and of vector issue. A circle's area grows with the kernel's "
      "share "
      "of the time.</p>\n{5}<div class=\"scroll\"><table>\n<tr><th class=\"name\">kernel</th>"
      "<th>launches</th><th>time</th><th>share</th><th>limited by</th><th>wave instructions</th>"
      "<th>active lanes</th><th>lines a read / write</th><th>bytes L1 / L2 / memory</th>"
      "<th>LDS conflicts</th><th>barriers (waited)</th><th>waves a SIMD, limit</th>"
      "<th>VGPR / SGPR spills</th></tr>\n{6}</table></div></body></html>\n",
      escaped(line), kStyle, time_text(profile.modelled_ns), profile.evidence(), profile.device,
      figure, rows(profile));
}

}  // namespace geak::cli
