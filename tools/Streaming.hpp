// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_STREAMING_HPP
#define KINDRED_TOOLS_STREAMING_HPP

#include "io/Events.hpp"
#include "io/Sequences.hpp"

#include <cstddef>
#include <exception>

namespace Kindred::Tools {

/// \brief Answers queries as they arrive: those that are there together, at most \p batch of them;
/// nothing is waited for. Those before a bad line are answered before its error is thrown.
///
/// \param answer called as `answer(first, count)` for the first `count` of \p queries, of which the
/// first is number `first` of all; writes and flushes what it prints
/// \throws what \p reader and \p answer throw
template <class Answer>
void answer_while_reading(SequenceReader& reader, std::size_t batch, Sequences& queries,
                          QueryEvents& events, const Answer& answer) {
  for (std::size_t first = 0, count = 1; count > 0; first += count) {
    queries.clear();
    events.clear();
    count = 0;
    std::exception_ptr bad;
    try {
      while ((count == 0 || (count < batch && reader.buffered())) && reader.next(queries)) ++count;
    } catch (...) {
      bad = std::current_exception();  // part of a bad line may be behind the others
    }
    if (count > 0) answer(first, count);
    if (bad) std::rethrow_exception(bad);
  }
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_STREAMING_HPP
