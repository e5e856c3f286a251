#include "emulator/wave/workgroup.h"

#include <sys/mman.h>

#include <new>

namespace geak::emulator {

PageBuffer::~PageBuffer() {
  if (data_) munmap(data_, bytes_);
}

std::byte* PageBuffer::ensure(std::size_t bytes) {
  if (bytes <= bytes_) return data_;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (data_) munmap(data_, bytes_);
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  return data_;
}

WaveSlot::WaveSlot() {
  v = reinterpret_cast<Lanes*>(registers.ensure(sizeof(Lanes) * kVectorRows));
}

}  // namespace geak::emulator
