// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace Kindred::Arch {

/// Bytes of a register of words.
inline constexpr std::size_t word_lanes_bytes = KINDRED_HAS_AVX2_FMA != 0 ? 32 : 16;

/// Words of a register: 8, 16, 32 or 64 bits each.
template <class Word>
inline constexpr unsigned word_lanes = word_lanes_bytes / sizeof(Word);

/// \brief Words on the host, in plain loops: the definition of the operations, to which the form in
/// a register is bit-identical.
template <class Word>
struct ScalarWordLanes {
  static constexpr unsigned size = word_lanes<Word>;
  Word value[size];

  static ScalarWordLanes all(Word word) {
    return each([&](unsigned) { return word; });
  }
  /// The words `word(i)`.
  template <class Get>
  static ScalarWordLanes of(const Get& word) {
    return each(word);
  }
  /// Consecutive words.
  static ScalarWordLanes load(const Word* from) {
    return each([&](unsigned i) { return from[i]; });
  }
  void store(Word* to) const {
    for (unsigned i = 0; i < size; ++i) to[i] = value[i];
  }

  ScalarWordLanes operator&(const ScalarWordLanes& b) const {
    return each([&](unsigned i) { return value[i] & b.value[i]; });
  }
  ScalarWordLanes operator|(const ScalarWordLanes& b) const {
    return each([&](unsigned i) { return value[i] | b.value[i]; });
  }
  ScalarWordLanes operator^(const ScalarWordLanes& b) const {
    return each([&](unsigned i) { return value[i] ^ b.value[i]; });
  }
  ScalarWordLanes operator+(const ScalarWordLanes& b) const {
    return each([&](unsigned i) { return value[i] + b.value[i]; });
  }
  ScalarWordLanes operator-(const ScalarWordLanes& b) const {
    return each([&](unsigned i) { return value[i] - b.value[i]; });
  }
  ScalarWordLanes operator~() const {
    return each([&](unsigned i) { return ~value[i]; });
  }
  /// a & ~b
  static ScalarWordLanes and_not(const ScalarWordLanes& a, const ScalarWordLanes& b) {
    return a & ~b;
  }
  /// Ones in the words that are 0, else 0.
  ScalarWordLanes zeros() const {
    return each([&](unsigned i) { return value[i] == 0 ? ~Word{0} : Word{0}; });
  }
  /// Ones in the words whose highest bit is set, else 0.
  ScalarWordLanes top_set() const {
    return each([&](unsigned i) { return value[i] >> top != 0 ? ~Word{0} : Word{0}; });
  }

 private:
  template <class Value>
  static ScalarWordLanes each(const Value& value) {
    ScalarWordLanes out;
    for (unsigned i = 0; i < size; ++i) out.value[i] = static_cast<Word>(value(i));
    return out;
  }

  static constexpr unsigned top = 8 * sizeof(Word) - 1;
};

#if (KINDRED_HAS_SSE2 || KINDRED_HAS_NEON) && defined(__GNUC__)
template <class Word>
struct WordRegister {
  typedef Word type __attribute__((vector_size(word_lanes_bytes)));
};

/// The same in a register, by the vector types of GCC and Clang. \see ScalarWordLanes
template <class Word>
struct NativeWordLanes {
  using Register = typename WordRegister<Word>::type;
  static constexpr unsigned size = word_lanes<Word>;
  Register value;

  static NativeWordLanes all(Word word) { return {Register{} + word}; }
  template <class Get>
  static NativeWordLanes of(const Get& word) {
    return of(word, std::make_integer_sequence<unsigned, size>());
  }
  static NativeWordLanes load(const Word* from) {
    NativeWordLanes lanes;
    std::memcpy(&lanes.value, from, sizeof(Register));
    return lanes;
  }
  void store(Word* to) const { std::memcpy(to, &value, sizeof(Register)); }

  NativeWordLanes operator&(NativeWordLanes b) const { return {value & b.value}; }
  NativeWordLanes operator|(NativeWordLanes b) const { return {value | b.value}; }
  NativeWordLanes operator^(NativeWordLanes b) const { return {value ^ b.value}; }
  NativeWordLanes operator+(NativeWordLanes b) const { return {value + b.value}; }
  NativeWordLanes operator-(NativeWordLanes b) const { return {value - b.value}; }
  NativeWordLanes operator~() const { return {~value}; }
  static NativeWordLanes and_not(NativeWordLanes a, NativeWordLanes b) {
    return {a.value & ~b.value};
  }
  NativeWordLanes zeros() const { return {reinterpret_cast<Register>(value == Register{})}; }
  NativeWordLanes top_set() const {
    return {reinterpret_cast<Register>(reinterpret_cast<Signed>(value) < Signed{})};
  }

 private:
  using Signed = typename WordRegister<std::make_signed_t<Word>>::type;

  template <class Get, unsigned... I>
  static NativeWordLanes of(const Get& word, std::integer_sequence<unsigned, I...> /*indices*/) {
    // In one expression, so that the words do not pass through memory.
    return {Register{word(I)...}};
  }
};
template <class Word>
using WordLanes = NativeWordLanes<Word>;
#else
template <class Word>
using WordLanes = ScalarWordLanes<Word>;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP
