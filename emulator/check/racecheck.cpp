// racecheck: two waves that access the same byte, one of them writing, with nothing in between that
// orders them. A barrier orders the waves of a workgroup. Across workgroups (and within one, beside
// barriers) whatever makes a wave see what others did counts as ordering: a volatile or atomic
// load, a fence, an exchange. The lanes of a wave run in step, so only those that write different
// values to one place by one instruction race.
#include <fmt/format.h>

#include <cstring>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

// Beyond this the records of an allocation would take too much of the host's memory.
constexpr std::uint64_t kMostTracked = 1ull << 30;

// The bytes that a lane would store.
struct StoredBytes {
  std::uint8_t bytes[64];
  bool known = false;
};

StoredBytes stored_by(const WaveSlot& wave, const Access& access, const AccessForm& form,
                      unsigned lane) {
  StoredBytes result;
  if (access.direction != Direction::write || access.data == kNoOperand) return result;
  result.known = true;
  const unsigned dwords = (access.bytes + 3u) / 4;
  for (unsigned d = 0; d < dwords; ++d) {
    std::uint32_t value =
        access.scalar ? wave.sgpr[access.data + d] : (&wave.row(access.data))[d][lane];
    if (form.high_half) value >>= 16;
    std::memcpy(result.bytes + 4 * d, &value, 4);
  }
  return result;
}

}  // namespace

RaceCell* Checker::race_cells(WaveSlot& wave, const Access& access, unsigned lane) {
  const std::uint64_t at = access.at[lane];
  if (access.space == Space::lds) {
    return at + access.bytes <= wave.lds_bytes ? &group_of(wave).lds_cells[at / 4] : nullptr;
  }
  Region* region = regions_.find(at);
  if (!region || region->kind == Region::Kind::code || !region->holds(at, access.bytes))
    return nullptr;
  if (!region->accesses) {
    if (region->bytes > kMostTracked) {
      note(fmt::format("racecheck: an allocation of {} bytes is too large to be watched",
                       region->bytes));
      return nullptr;
    }
    region->accesses = ShadowPages((region->bytes / 4 + 2) * sizeof(RaceCell));
  }
  return reinterpret_cast<RaceCell*>(region->accesses.data()) + (at - region->begin) / 4;
}

// Whether what the record says happened before all that the wave does now.
bool Checker::is_ordered(const RaceRecord& record, const WaveSlot& wave) {
  const GroupChecks& group = group_of(wave);
  const WaveChecks& own = group.waves[wave.index_in_workgroup];
  if (record.empty() || record.time() < group.dispatch_begin || record.wave() == own.number)
    return true;
  const WaveNumber* other = wave_number(record.wave());
  if (!other || other->launch != wave.workgroup->launch) return true;
  if (other->group == group.number)
    return record.time() < group.barrier_time || record.time() < own.acquire_time;
  if (record.time() >= group.acquire_time) return false;
  // Atomic operations are done where others see them.
  return !settings_.ordercheck || record.atomic() || record.time() < other->published;
}

void Checker::check_races(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                          const Access& access) {
  ++time_;
  const WaveChecks& own = checks_of(wave);
  const std::uint64_t code =
      wave.program->address_of(instruction) - wave.workgroup->launch->dispatch.code->load_base;
  for_lanes(access.mask, [&](unsigned lane) {
    RaceCell* cells = race_cells(wave, access, lane);
    if (!cells) return;
    const StoredBytes stored = stored_by(wave, access, form, lane);
    const std::uint8_t* present =
        access.space == Space::lds
            ? reinterpret_cast<const std::uint8_t*>(wave.lds) + access.at[lane]
            : reinterpret_cast<const std::uint8_t*>(access.at[lane]);
    // A store of what is there already disturbs nobody.
    const bool silent = stored.known && std::memcmp(stored.bytes, present, access.bytes) == 0;
    for (unsigned done = 0; done < access.bytes;) {
      const unsigned offset = static_cast<unsigned>((access.at[lane] + done) % 4);
      const unsigned count = std::min(4 - offset, access.bytes - done);
      const unsigned mask = ((1u << count) - 1) << offset;
      const RaceRecord record = RaceRecord::of(own.number, lane, code, time_, mask,
                                               access.direction == Direction::atomic);
      RaceAccess now{wave, instruction, form, access, lane, record};
      if (access.direction == Direction::read)
        race_read(now, *cells);
      else
        race_write(now, *cells, silent);
      ++cells;
      done += count;
    }
  });
}

void Checker::race_read(const RaceAccess& now, RaceCell& cell) {
  const RaceRecord& write = cell.write;
  if ((write.bytes() & now.record.bytes()) && !is_ordered(write, now.wave)) {
    // A plain read beside atomics begins many a loop of compare and swap; in LDS, whose atomics are
    // ordered by barriers, it counts unless such a loop follows.
    if (!write.atomic())
      report_race(now, write, "read_after_write");
    else if (now.access.space == Space::lds)
      defer_race(now, write);
  }
  remember_read(now.wave, cell, now.record);
}

void Checker::remember_read(const WaveSlot& wave, RaceCell& cell, const RaceRecord& record) {
  const std::uint64_t begin = group_of(wave).dispatch_begin;
  for (RaceRecord& read : cell.reads) {
    if (read.wave() != record.wave()) continue;
    const unsigned bytes = read.time() < begin ? 0 : read.bytes();
    read = record;
    read.add_bytes(bytes);
    return;
  }
  // Of two workgroups one reader each, so that a third finds another's.
  const auto stale = [&](const RaceRecord& read) {
    return read.empty() || read.time() < begin || is_ordered(read, wave);
  };
  if (stale(cell.reads[0])) {
    cell.reads[0] = record;
  } else if (stale(cell.reads[1])) {
    cell.reads[1] = record;
  } else {
    const WaveNumber* other = wave_number(cell.reads[0].wave());
    cell.reads[other && other->group == group_of(wave).number ? 0 : 1] = record;
  }
}

void Checker::race_write(const RaceAccess& now, RaceCell& cell, bool silent) {
  const bool atomic = now.access.direction == Direction::atomic;
  RaceRecord& write = cell.write;
  if (!silent && (write.bytes() & now.record.bytes()) && !(atomic && write.atomic())) {
    if (write.wave() == now.record.wave() && write.time() == now.record.time())
      check_lanes(now, write);
    else if (!is_ordered(write, now.wave))
      report_race(now, write, "write_after_write");
  }
  if (atomic) {
    settle_race(now);
  } else if (!silent) {
    for (const RaceRecord& read : cell.reads) {
      if ((read.bytes() & now.record.bytes()) && !is_ordered(read, now.wave))
        report_race(now, read, "write_after_read");
    }
  }
  if (silent) return remember_read(now.wave, cell, now.record);
  const bool adds =
      write.wave() == now.record.wave() &&
      write.time() >= std::max(group_of(now.wave).barrier_time, group_of(now.wave).dispatch_begin);
  // A plain write before the wave's own atomics still races with the others'.
  if (adds && atomic && !write.atomic()) return write.add_bytes(now.record.bytes());
  const unsigned bytes = adds && write.atomic() == atomic ? write.bytes() : 0;
  write = now.record;
  write.add_bytes(bytes);
}

// Two lanes of one store.
void Checker::check_lanes(const RaceAccess& now, const RaceRecord& other) {
  if (now.access.direction != Direction::write || other.lane() == now.lane) return;
  const StoredBytes mine = stored_by(now.wave, now.access, now.form, now.lane);
  const StoredBytes theirs = stored_by(now.wave, now.access, now.form, other.lane());
  if (now.access.at[now.lane] == now.access.at[other.lane()] && mine.known &&
      std::memcmp(mine.bytes, theirs.bytes, now.access.bytes) != 0)
    report_race(now, other, "write_after_write");
}

Finding Checker::race_finding(const RaceAccess& now, const RaceRecord& other, const char* how) {
  Finding finding;
  finding.tool = "racecheck";
  const bool lds = now.access.space == Space::lds;
  finding.kind = lds ? "lds_race" : "global_race";
  finding.space = now.access.space;
  finding.direction = now.access.direction;
  finding.address = now.access.at[now.lane];
  finding.bytes = now.access.bytes;
  if (!lds) finding.region = regions_.find(finding.address);
  Place place;
  const LoadedCode& code = *now.wave.workgroup->launch->dispatch.code;
  place.code_address = code.load_base + other.code_offset();
  if (const WaveNumber* number = wave_number(other.wave()))
    place = place_in(*now.wave.workgroup->launch, number->workgroup, number->index, other.lane(),
                     place.code_address);
  finding.other = place;
  const std::string verb(how);
  finding.other_role = verb.ends_with("read") ? "earlier read" : "earlier write";
  finding.message = fmt::format(
      "{} of {} bytes {} without order between them, by {}",
      verb.starts_with("read") ? "read" : "write", now.access.bytes,
      verb.ends_with("read") ? "after another's read" : "after another's write",
      place.workgroup == place_of(now.wave, now.instruction, now.lane).workgroup
          ? other.wave() == now.record.wave() ? "two lanes of a wave" : "two waves of a workgroup"
          : "two workgroups");
  return finding;
}

void Checker::report_race(const RaceAccess& now, const RaceRecord& other, const char* how) {
  const char* kind = now.access.space == Space::lds ? "lds_race" : "global_race";
  if (!wanted(now.wave, now.instruction, kind)) return;
  report(now.wave, now.instruction, race_finding(now, other, how), now.lane);
}

// A read that races unless the lane's next access there is atomic.
void Checker::defer_race(const RaceAccess& now, const RaceRecord& other) {
  constexpr std::size_t kMost = 256;
  auto& deferred = checks_of(now.wave).deferred;
  if (deferred.size() >= kMost) return;
  Finding finding = race_finding(now, other, "read_after_write");
  finding.place = place_of(now.wave, now.instruction, now.lane);
  deferred.emplace(std::pair{now.access.at[now.lane], now.lane},
                   DeferredRace{std::move(finding), &now.instruction});
}

void Checker::settle_race(const RaceAccess& now) {
  if (now.access.space == Space::lds)
    checks_of(now.wave).deferred.erase({now.access.at[now.lane], now.lane});
}

void Checker::report_deferred(WaveSlot& wave) {
  auto& deferred = checks_of(wave).deferred;
  for (auto& [key, race] : deferred) {
    if (wanted(wave, *race.instruction, race.finding.kind))
      report(wave, *race.instruction, race.finding, race.finding.place.lane);
  }
  deferred.clear();
}

// After an instruction that makes the wave see what others did.
void Checker::acquire(WaveSlot& wave) {
  GroupChecks& group = group_of(wave);
  group.acquire_time = checks_of(wave).acquire_time = ++time_;
}

}  // namespace geak::emulator::check
