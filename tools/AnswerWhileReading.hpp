// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_ANSWER_WHILE_READING_HPP
#define KINDRED_TOOLS_ANSWER_WHILE_READING_HPP

#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"

#include <cstddef>
#include <exception>

namespace Kindred::Tools {

/// \brief Answers queries as they arrive: takes those that are available, at most \p batch, without
/// waiting for more. Queries before an invalid line are answered before its error is thrown.
/// Therefore the output does not depend on how the input is divided into writes.
///
/// \param answers whose `finish_early` is called before an error of \p reader is thrown
/// \param answer called as `answer(first, count)` for the first `count` entries of \p queries,
/// where `first` is the number of the first one among all queries; writes and flushes its output
/// \throws exceptions of \p reader and \p answer
template <class Answers, class Answer>
void answer_while_reading(SequenceReader& reader, std::size_t batch, Sequences& queries,
                          QueryEvents& events, Answers& answers, const Answer& answer) {
  for (std::size_t first = 0, count = 1; count > 0; first += count) {
    queries.clear();
    events.clear();
    count = 0;
    std::exception_ptr bad;
    try {
      while ((count == 0 || (count < batch && reader.buffered())) && reader.next(queries)) ++count;
    } catch (...) {
      bad = std::current_exception();  // part of the invalid line may follow the other queries
    }
    if (count > 0) answer(first, count);
    if (!bad) continue;
    answers.finish_early();
    std::rethrow_exception(bad);
  }
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_ANSWER_WHILE_READING_HPP
