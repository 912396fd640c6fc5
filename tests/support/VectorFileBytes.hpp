// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_VECTOR_FILE_BYTES_HPP
#define KINDRED_TESTS_SUPPORT_VECTOR_FILE_BYTES_HPP

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {

/// The bytes of \p numbers.
template <class T>
std::string raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

/// A .npy file as NumPy writes it.
inline std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return out + header + data;
}
inline std::string npy_dictionary(const std::string& descr, const std::string& order,
                                  const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape +
         ", }          \n";
}

/// A file of the .fvecs family. \param rows may differ in dimension
template <class T>
std::string vecs(const std::vector<std::vector<T>>& rows) {
  std::string out;
  for (const auto& row : rows)
    out += raw(std::vector<std::int32_t>{static_cast<std::int32_t>(row.size())}) + raw(row);
  return out;
}

/// A file of the .fbin family.
template <class T>
std::string bin(std::uint32_t rows, std::uint32_t dimension, const std::vector<T>& numbers) {
  return raw(std::vector<std::uint32_t>{rows, dimension}) + raw(numbers);
}

/// A small valid file of every layout, with its file name extension: of the numbers 1 to 6.
inline std::vector<std::pair<std::string, std::string>> good_vector_files() {
  const std::vector<float> six{1, 2, 3, 4, 5, 6};
  return {{"npy", npy(npy_dictionary("'<f4'", "False", "(2, 3)"), raw(six))},
          {"fvecs", vecs<float>({{1, 2, 3}, {4, 5, 6}})},
          {"bvecs", vecs<std::uint8_t>({{1, 2, 3}, {4, 5, 6}})},
          {"ivecs", vecs<std::int32_t>({{1, 2, 3}, {4, 5, 6}})},
          {"fbin", bin<float>(2, 3, six)},
          {"u8bin", bin<std::uint8_t>(2, 3, {1, 2, 3, 4, 5, 6})},
          {"i8bin", bin<std::int8_t>(2, 3, {1, 2, 3, 4, 5, 6})}};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_VECTOR_FILE_BYTES_HPP
