#include "tests/emulator/isa/conformance.h"

#include <array>
#include <cstring>
#include <sstream>

#include "emulator/isa/operation.h"
#include "tests/emulator/isa/edge_values.h"
#include "tests/emulator/isa/machine.h"

namespace geak::emulator::testing {
namespace {

// Registers of the cases: sources v2, v4, v6 (pairs) or s4; destination v20; masks s[10:11],
// s[12:13].
constexpr unsigned kSource = 2, kScalarSource = 4, kDestination = 20, kCarryIn = 10, kMaskOut = 12;

bool is_wide(Type type) { return type == Type::b64 || type == Type::f64; }

std::string registers(char file, unsigned first, bool wide) {
  std::ostringstream text;
  if (wide)
    text << file << '[' << first << ':' << first + 1 << ']';
  else
    text << file << first;
  return text.str();
}

bool is_compare(const VectorCase& test) { return test.result == Type::mask; }

// The assembly line; `scalar_first`: src0 comes from a scalar register. Masks are VCC unless
// `vop3`.
std::string line_of(const VectorCase& test, bool scalar_first, bool vop3) {
  const std::string mask_out = vop3 ? "s[12:13]" : "vcc", mask_in = vop3 ? "s[10:11]" : "vcc";
  const bool named_vop3 = test.mnemonic.ends_with("_e64");
  std::string line = test.mnemonic + (vop3 && !named_vop3 ? "_e64 " : " ");
  if (is_compare(test))
    line += mask_out;
  else
    line += registers('v', kDestination, is_wide(test.result));
  if (test.writes_mask) line += ", " + mask_out;
  const bool hides_last = test.accumulates || test.implied_mask;
  const std::size_t shown = test.sources.size() - (hides_last ? 1 : 0);
  for (std::size_t n = 0; n < shown; ++n) {
    const bool wide = is_wide(test.sources[n]);
    if (test.sources[n] == Type::mask)
      line += ", " + mask_in;
    else if (scalar_first && n == 0)
      line += ", " + registers('s', kScalarSource, wide);
    else
      line += ", " + registers('v', kSource + 2 * static_cast<unsigned>(n), wide);
  }
  return test.suffix.empty() ? line : line + " " + test.suffix;
}

bool bits_are_nan(Type type, u64 bits) {
  switch (type) {
    case Type::f16:
      return (bits & 0x7fff) > 0x7c00;
    case Type::f32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case Type::f64:
      return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
      return false;
  }
}

// Distance in units in the last place: floats of one sign are ordered like their bits.
double distance(Type type, u64 a, u64 b) {
  const unsigned width = type == Type::f16 ? 16 : type == Type::f32 ? 32 : 64;
  auto order = [&](u64 bits) {
    const u64 sign = u64{1} << (width - 1);
    return bits & sign ? -static_cast<long double>(bits ^ sign) : static_cast<long double>(bits);
  };
  return static_cast<double>(std::fabs(order(a) - order(b)));
}

bool equal(const VectorCase& test, u64 got, u64 want) {
  if (bits_are_nan(test.result, want)) return bits_are_nan(test.result, got);
  if (got == want) return true;
  if (test.packed_nan != Type::b32) {
    const unsigned width = test.packed_nan == Type::f16 ? 16 : 32;
    const u64 part = (u64{1} << width) - 1;
    for (unsigned shift = 0; shift < 64; shift += width) {
      const u64 a = got >> shift & part, b = want >> shift & part;
      if (a != b && !(bits_are_nan(test.packed_nan, a) && bits_are_nan(test.packed_nan, b)))
        return false;
    }
    return true;
  }
  if (test.ulps == 0 || bits_are_nan(test.result, got)) return false;
  return distance(test.result, got, want) <= test.ulps;
}

struct Inputs {
  u64 lane[4][kLanes];
  u64 old[kLanes];
  u64 exec, old_mask;
};

Inputs make_inputs(const VectorCase& test, Random& random, unsigned round, bool scalar_first) {
  Inputs in;
  for (std::size_t n = 0; n < test.sources.size(); ++n) {
    const u64 uniform = operand(test.sources[n], random);
    for (unsigned l = 0; l < kLanes; ++l)
      in.lane[n][l] = scalar_first && n == 0 ? uniform : operand(test.sources[n], random);
  }
  for (u64& value : in.old) value = random.next();
  if (test.accumulates)
    for (unsigned l = 0; l < kLanes; ++l) in.old[l] = in.lane[test.sources.size() - 1][l];
  static constexpr u64 kExecs[] = {~u64{0}, ~u64{0}, 0, u64{1} << 63, 0xffff0000ffff0001};
  in.exec = round % 6 == 5 ? random.next() : kExecs[round % 6];
  in.old_mask = random.next();
  return in;
}

void set_inputs(const VectorCase& test, Machine& m, const Inputs& in, bool scalar_first,
                Random& random) {
  m.wave().reset(test.mode);
  u64 carry_in = 0;
  for (std::size_t n = 0; n < test.sources.size(); ++n) {
    const unsigned row = kSource + 2 * static_cast<unsigned>(n);
    for (unsigned l = 0; l < kLanes; ++l) {
      const u64 value = in.lane[n][l];
      if (test.sources[n] == Type::mask) carry_in |= (value & 1) << l;
      m.v(row)[l] = static_cast<u32>(value);
      m.v(row + 1)[l] = static_cast<u32>(value >> 32);
      const bool half = test.sources[n] == Type::b16 || test.sources[n] == Type::f16;
      if (half) m.v(row)[l] |= static_cast<u32>(random.next()) << 16;  // must not matter
    }
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    m.v(kDestination)[l] = static_cast<u32>(in.old[l]);
    m.v(kDestination + 1)[l] = static_cast<u32>(in.old[l] >> 32);
  }
  if (scalar_first) m.wave().set_scalar64(kScalarSource, in.lane[0][0]);
  m.wave().set_scalar64(kCarryIn, carry_in);
  m.wave().set_scalar64(kMaskOut, in.old_mask);
  m.wave().set_scalar64(kVcc, carry_in);
  m.wave().set_scalar64(kExec, in.exec);
}

u64 read_destination(const VectorCase& test, Machine& m, unsigned l) {
  const u64 low = m.v(kDestination)[l];
  return is_wide(test.result) ? low | u64{m.v(kDestination + 1)[l]} << 32 : low;
}

// What the destination register must hold, as read_destination shows it.
u64 full_register(const VectorCase& test, u64 value, u64 old) {
  const bool half = test.result == Type::b16 || test.result == Type::f16;
  if (half) return (value & 0xffff) | (test.keeps_high_half ? old & 0xffff0000 : 0);
  return value;
}

std::string compare(const VectorCase& test, Machine& m, const Inputs& in, u64 mask_got,
                    const std::string& line) {
  for (unsigned l = 0; l < kLanes; ++l) {
    u64 sources[4];
    for (std::size_t n = 0; n < test.sources.size(); ++n) sources[n] = in.lane[n][l];
    const bool active = in.exec >> l & 1;
    const Outcome want = active ? test.expected(sources) : Outcome{};
    std::ostringstream problem;
    problem << std::hex;
    if (!is_compare(test)) {
      const u64 got = read_destination(test, m, l);
      const u64 width = is_wide(test.result) ? ~u64{0} : 0xffffffff;
      const u64 whole = full_register(test, want.value, in.old[l]) & width;
      const bool half = test.result == Type::b16 || test.result == Type::f16;
      const bool good = !active ? got == (in.old[l] & width)
                        : half  ? got >> 16 == whole >> 16 && equal(test, got & 0xffff, want.value)
                                : equal(test, got, want.value & width);
      if (!good)
        problem << "register is " << got << ", expected " << (active ? whole : in.old[l] & width);
    }
    if ((is_compare(test) || test.writes_mask) && (mask_got >> l & 1) != want.mask)
      problem << " mask bit is " << (mask_got >> l & 1);
    if (problem.str().empty()) continue;
    std::ostringstream text;
    text << line << " lane " << l << (active ? "" : " (inactive)") << std::hex << " sources";
    for (std::size_t n = 0; n < test.sources.size(); ++n) text << ' ' << in.lane[n][l];
    text << ": " << problem.str();
    return text.str();
  }
  return {};
}

std::string run_variant(const VectorCase& test, Machine& m, bool scalar_first, bool vop3,
                        const std::string& line) {
  Random random(std::hash<std::string>{}(test.mnemonic));
  const bool to_exec = test.mnemonic.starts_with("v_cmpx");
  for (unsigned round = 0; round < 24; ++round) {
    const Inputs in = make_inputs(test, random, round, scalar_first);
    set_inputs(test, m, in, scalar_first, random);
    m.run();
    if (m.wave().state != WaveState::ended) return line + ": " + m.wave().fault_message;
    const u64 mask = m.wave().scalar64(vop3 ? kMaskOut : kVcc);
    if (to_exec && m.wave().exec() != mask) return line + ": EXEC differs from the mask";
    if (!to_exec && m.wave().exec() != in.exec) return line + ": EXEC was changed";
    if (std::string problem = compare(test, m, in, mask, line); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

std::vector<VectorCase>& vector_cases() {
  static std::vector<VectorCase> cases;
  return cases;
}
std::vector<ScalarCase>& scalar_cases() {
  static std::vector<ScalarCase> cases;
  return cases;
}
std::vector<std::string>& other_tested() {
  static std::vector<std::string> names;
  return names;
}

std::string run_case(const VectorCase& test, Arch arch) {
  bool any = false;
  std::string first_error;
  for (const bool vop3 : {false, true}) {
    for (const bool scalar_first : {false, true}) {
      Machine m;
      const std::string line = line_of(test, scalar_first, vop3);
      if (!m.load(arch, line)) {  // this form does not exist; one must
        if (first_error.empty()) first_error = m.error();
        continue;
      }
      any = true;
      if (std::string problem = run_variant(test, m, scalar_first, vop3, line); !problem.empty())
        return problem;
    }
  }
  return any ? std::string() : first_error;
}

namespace {

std::string scalar_line(const ScalarCase& test, i64 constant) {
  std::string line = test.mnemonic + " ";
  if (test.has_result || test.sources == 0) line += registers('s', 20, test.wide_result);
  for (unsigned n = 0; n < test.sources; ++n)
    line += (line.back() == ' ' ? "" : ", ") + registers('s', 4 + 2 * n, test.wide_source[n]);
  if (test.sources == 0) line += ", " + std::to_string(constant);
  return line;
}

std::string run_scalar(const ScalarCase& test, Machine& m, const std::string& line, Random& random,
                       i64 constant) {
  u64 source[2];
  for (unsigned n = 0; n < 2; ++n)
    source[n] = operand(n < test.sources && test.wide_source[n] ? Type::b64 : Type::b32, random);
  if (test.sources == 0) source[0] = static_cast<u64>(constant);
  const bool scc = random.next() & 1;
  const u64 width = test.wide_result ? ~u64{0} : 0xffffffff;
  const u64 old = operand(test.wide_result ? Type::b64 : Type::b32, random);
  m.wave().reset(kDefaultMode);
  for (unsigned n = 0; n < test.sources; ++n) m.wave().set_scalar64(4 + 2 * n, source[n]);
  m.wave().set_scalar64(20, old);
  m.wave().scc = scc;
  m.run();
  if (m.wave().state != WaveState::ended) return line + ": " + m.wave().fault_message;
  const ScalarOutcome want = test.expected(source[0], source[1], scc, old);
  const u64 got = m.wave().scalar64(20) & width;
  const u64 value = (test.has_result ? want.value : old) & width;
  const u32 want_scc = want.scc < 0 ? scc : static_cast<u32>(want.scc);
  if (got == value && m.wave().scc == want_scc) return {};
  std::ostringstream text;
  text << std::hex << line << " sources " << source[0] << ' ' << source[1] << " scc " << scc
       << ": got " << got << " scc " << m.wave().scc << ", expected " << value << " scc "
       << want_scc;
  return text.str();
}

}  // namespace

std::string run_case(const ScalarCase& test, Arch arch) {
  Random random(std::hash<std::string>{}(test.mnemonic));
  static constexpr i64 kConstants[] = {0, 1, -1, 5, 0x7fff, -0x8000, 100};
  for (const i64 signed_constant : kConstants) {
    const i64 constant = test.unsigned_constant ? signed_constant & 0xffff : signed_constant;
    Machine m;
    const std::string line = scalar_line(test, constant);
    if (!m.load(arch, line)) return m.error();
    for (unsigned round = 0; round < 200; ++round)
      if (std::string problem = run_scalar(test, m, line, random, constant); !problem.empty())
        return problem;
    if (test.sources != 0) break;
  }
  return {};
}

}  // namespace geak::emulator::testing
