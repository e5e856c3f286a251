// State beside memory: anonymous pages, zero until they are written, which cost nothing until then.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace geak::emulator::check {

class ShadowPages {
 public:
  ShadowPages() = default;
  explicit ShadowPages(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
  }
  ShadowPages(ShadowPages&& other) noexcept { *this = std::move(other); }
  ShadowPages& operator=(ShadowPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ShadowPages() {
    if (data_) munmap(data_, bytes_);
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace geak::emulator::check
