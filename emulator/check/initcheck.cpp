// initcheck: values that nobody wrote are followed from memory through registers; what counts is
// that one is stored for others, used as an address or decides where the program goes. So padding
// that is copied along and loads that are wider than needed are no findings.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/isa/interpreter.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

constexpr std::size_t kMostOrigins = 60'000;

// Which bytes of a lane's element were written. In scratch the dwords of an element lie apart.
class ShadowBytes {
 public:
  ShadowBytes(const Access& access, unsigned lane, GroupChecks& group, WaveChecks& wave,
              MemoryRegions& regions)
      : at_(access.at[lane]), bytes_(access.bytes) {
    if (access.space == Space::lds) {
      if (at_ + bytes_ <= group.lds.size()) first_ = group.lds.data() + at_;
    } else if (access.space == Space::scratch) {
      dword_stride_ = 4 * kLanes;
      if (at_ % 4 + std::min(bytes_, 4u) <= 4 &&
          scratch_byte(at_ + bytes_ - 1, lane) < wave.scratch.size())
        first_ = wave.scratch.data() + scratch_byte(at_, lane);
    } else {
      region_ = regions.find(at_);
      if (region_ && region_->written && region_->holds(at_, bytes_))
        first_ = reinterpret_cast<std::uint8_t*>(region_->written.data()) + (at_ - region_->begin);
    }
  }
  bool tracked() const { return first_ != nullptr; }
  // Bit n: byte n was not written.
  std::uint64_t unwritten() const {
    if (!first_) return 0;
    if (region_) return MemoryRegions::unwritten(*region_, at_, bytes_);
    std::uint64_t result = 0;
    for (unsigned n = 0; n < bytes_; ++n) result |= std::uint64_t{flag(n) == 0} << n;
    return result;
  }
  void set(std::uint64_t unwritten) const {
    for (unsigned n = 0; n < bytes_; ++n) flag(n) = !(unwritten >> n & 1);
  }

 private:
  std::uint8_t& flag(unsigned byte) const { return first_[byte / 4 * dword_stride_ + byte % 4]; }
  std::uint64_t at_;
  unsigned bytes_;
  std::uint8_t* first_ = nullptr;  // nullptr: all count as written
  std::uint32_t dword_stride_ = 4;
  Region* region_ = nullptr;
};

// The register bits of one dword whose bytes were not written.
std::uint32_t widened(std::uint64_t bytes) {
  std::uint32_t bits = 0;
  for (unsigned n = 0; n < 4; ++n) bits |= (bytes >> n & 1 ? 0xffu : 0u) << 8 * n;
  return bits;
}

}  // namespace

void Checker::track_values(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                           const Access& access) {
  if (access.direction == Direction::read) return track_load(wave, instruction, form, access);
  if (access.direction == Direction::atomic) track_atomic(wave, instruction, form, access);
  track_store(wave, instruction, form, access);
}

std::unordered_map<std::uint64_t, Origin>* Checker::moved_origins(WaveSlot& wave, Space space) {
  if (space == Space::lds) return &group_of(wave).lds_origins;
  return space == Space::scratch ? &checks_of(wave).scratch_origins : nullptr;
}

std::uint16_t Checker::new_origin(WaveSlot& wave, const Instruction& instruction,
                                  const Access& access, unsigned lane) {
  auto& origins = checks_of(wave).registers.origins;
  if (origins.size() >= kMostOrigins) return static_cast<std::uint16_t>(origins.size() - 1);
  if (const auto* moved = moved_origins(wave, access.space)) {
    const std::uint64_t at =
        access.space == Space::scratch ? scratch_byte(access.at[lane], lane) : access.at[lane];
    if (const auto found = moved->find(at / 4); found != moved->end()) {
      origins.push_back(found->second);
      return static_cast<std::uint16_t>(origins.size() - 1);
    }
  }
  Origin origin;
  origin.place = place_of(wave, instruction, lane);
  origin.space = access.space;
  origin.address = access.at[lane];
  origin.bytes = access.bytes;
  if (access.space == Space::global) origin.region = regions_.find(origin.address);
  origins.push_back(origin);
  return static_cast<std::uint16_t>(origins.size() - 1);
}

void Checker::track_load(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                         const Access& access) {
  if (access.result == kNoOperand) return;
  GroupChecks& group = group_of(wave);
  WaveChecks& checks = checks_of(wave);
  RegisterShadow& registers = checks.registers;
  const unsigned dwords = (access.bytes + 3u) / 4;
  if (access.scalar) {
    const std::uint64_t bytes = ShadowBytes(access, 0, group, checks, regions_).unwritten();
    if (bytes == 0 && registers.scalars.none()) return;
    const std::uint16_t origin = bytes ? new_origin(wave, instruction, access, 0) : 0;
    for (unsigned d = 0; d < dwords; ++d)
      set_scalar_shadow(registers, access.result + d, widened(bytes >> 4 * d), origin);
    return;
  }
  const unsigned row = static_cast<unsigned>(&wave.row(access.result) - wave.v);
  std::uint16_t origin = 0;
  bool made = false;
  for_lanes(access.mask, [&](unsigned lane) {
    const std::uint64_t bytes = ShadowBytes(access, lane, group, checks, regions_).unwritten();
    if (bytes && !made) {
      origin = new_origin(wave, instruction, access, lane);
      made = true;
    }
    for (unsigned d = 0; d < dwords; ++d) {
      if (!bytes && !registers.rows[row + d]) continue;
      std::uint32_t bits = widened(bytes >> 4 * d);
      // Sign extension spreads the top bit.
      if (access.bytes < 4 && bits >> (8 * access.bytes - 1)) bits = ~0u;
      Lanes& shadow = registers.row(row + d);
      if (form.high_half)
        shadow[lane] = (shadow[lane] & 0xffff) | bits << 16;
      else if (form.low_half)
        shadow[lane] = (shadow[lane] & 0xffff0000) | (bits & 0xffff);
      else
        shadow[lane] = bits;
      if (bits) registers.row_origin[row + d] = origin;
    }
  });
  if (registers.rows.any()) drop_clean_rows(registers, row, dwords);
}

void Checker::set_scalar_shadow(RegisterShadow& registers, unsigned code, std::uint32_t bits,
                                std::uint16_t origin) {
  if (code >= RegisterShadow::kScalars) return;
  registers.s[code] = bits;
  registers.scalars[code] = bits != 0;
  if (bits) registers.scalar_origin[code] = origin;
}

void Checker::drop_clean_rows(RegisterShadow& registers, unsigned row, unsigned count) {
  for (unsigned r = row; r < row + count && r < kVectorRows; ++r) {
    if (!registers.rows[r]) continue;
    std::uint32_t any = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) any |= registers.v[r][lane];
    if (any == 0) registers.rows.reset(r);
  }
}

// A value is used: the finding stands where it was read from memory.
void Checker::report_use(WaveSlot& wave, const Instruction& instruction, std::uint16_t origin_index,
                         unsigned lane, const char* how) {
  if (is_quiet(wave)) return;
  const RegisterShadow& registers = checks_of(wave).registers;
  if (origin_index >= registers.origins.size()) return;
  const Origin& origin = registers.origins[origin_index];
  const KernelDispatch& dispatch = wave.workgroup->launch->dispatch;
  if (!log_.is_new("uninitialized", dispatch.kernel_name, origin.place.code_address,
                   origin.place.callers))
    return;
  Finding finding;
  finding.tool = "initcheck";
  finding.kind = "uninitialized";
  finding.message = fmt::format("read of {} bytes of {} memory that nobody wrote, and the value {}",
                                origin.bytes, to_string(origin.space), how);
  finding.place = origin.place;
  finding.other = place_of(wave, instruction, lane);
  finding.other_role = "used";
  finding.space = origin.space;
  finding.direction = Direction::read;
  finding.address = origin.address;
  finding.bytes = origin.bytes;
  finding.region = origin.region;
  const Instruction* reader = wave.program->at(origin.place.code_address);
  log_.add(finding, dispatch.kernel_name, dispatch.code.get(),
           describe(wave, reader ? *reader : instruction));
}

void Checker::track_atomic(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                           const Access& access) {
  GroupChecks& group = group_of(wave);
  WaveChecks& checks = checks_of(wave);
  if (form.ignores_old_value) return;
  for_lanes(access.mask, [&](unsigned lane) {
    const ShadowBytes shadow(access, lane, group, checks, regions_);
    if (!shadow.unwritten()) return;
    report_use(wave, instruction, new_origin(wave, instruction, access, lane), lane,
               "is updated by an atomic operation");
    shadow.set(0);
  });
}

void Checker::track_store(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                          const Access& access) {
  GroupChecks& group = group_of(wave);
  WaveChecks& checks = checks_of(wave);
  RegisterShadow& registers = checks.registers;
  const unsigned dwords = (access.bytes + 3u) / 4;
  bool clean = true;
  unsigned row = 0;
  if (access.data != kNoOperand && registers.any()) {
    if (access.scalar) {
      for (unsigned d = 0; d < dwords; ++d) clean &= !registers.scalars[access.data + d];
    } else {
      row = static_cast<unsigned>(&wave.row(access.data) - wave.v);
      for (unsigned d = 0; d < dwords; ++d) clean &= !registers.rows[row + d];
    }
  }
  for_lanes(access.mask, [&](unsigned lane) {
    const ShadowBytes shadow(access, lane, group, checks, regions_);
    std::uint64_t undefined = 0;
    std::uint16_t origin = 0;
    for (unsigned n = 0; n < access.bytes && !clean; ++n) {
      const unsigned from = form.high_half ? n + 2 : n;
      const std::uint32_t bits = access.scalar                 ? registers.s[access.data + n / 4]
                                 : registers.rows[row + n / 4] ? registers.v[row + n / 4][lane]
                                                               : 0;
      if (!(bits >> 8 * (from % 4) & 0xff)) continue;
      undefined |= std::uint64_t{1} << n;
      origin = access.scalar ? registers.scalar_origin[access.data + n / 4]
                             : registers.row_origin[row + n / 4];
    }
    // Padding comes along with something else.
    const bool all = undefined == (access.bytes == 64 ? ~std::uint64_t{0}
                                                      : (std::uint64_t{1} << access.bytes) - 1);
    if (all && access.space == Space::global) {
      report_use(wave, instruction, origin, lane, "is stored");
      undefined = is_quiet(wave) ? undefined : 0;
    }
    if (shadow.tracked()) shadow.set(undefined);
    auto* moved = undefined ? moved_origins(wave, access.space) : nullptr;
    if (!moved || origin >= registers.origins.size()) return;
    const std::uint64_t at =
        access.space == Space::scratch ? scratch_byte(access.at[lane], lane) : access.at[lane];
    for (unsigned d = 0; d < dwords; ++d)
      (*moved)[at / 4 + (access.space == Space::scratch ? d * kLanes : d)] =
          registers.origins[origin];
  });
}

}  // namespace geak::emulator::check
