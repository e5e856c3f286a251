// What the elements of a buffer are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace geak::replay {

enum class ElementType { u8, u16, u32, u64, f16, bf16, f32, f64 };

std::size_t bytes_of(ElementType type);
bool is_floating(ElementType type);
const char* name_of(ElementType type);
// The least positive number that is not denormal; 0 of integers.
double least_normal(ElementType type);

// From a parameter's type as clang prints it ("const float *__restrict", "uint2 *"); none where it
// is no pointer to something known.
std::optional<ElementType> element_from_type(const std::string& type);

// From the data: floating point where nearly all words read as plausible numbers of that width and
// would be strange as integers; else the integers that they look like.
ElementType guess_element(std::span<const std::byte> contents);
/// The same, where the kernel's own words for the type may say of 16-bit numbers what the bytes do
/// not: taken as such where the contents are.
ElementType guess_element(std::span<const std::byte> contents, ElementType declared);

// One element as a number. `at` counts elements.
double element_at(std::span<const std::byte> contents, ElementType type, std::size_t at);
void set_element(std::span<std::byte> contents, ElementType type, std::size_t at, double value);

}  // namespace geak::replay
