// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_BULK_BULK_PLACES_HPP
#define KINDRED_TESTS_BULK_BULK_PLACES_HPP

#include "BulkLists.hpp"
#include "DeviceCopy.hpp"

namespace Kindred::Testing::BulkTest {

/// Where the arrays of a call are.
enum class Place { host, device, stream };

using Shape = std::vector<std::int64_t>;

/// Elements at a place, also for output.
template <class T>
class Placed {
 public:
  Placed(Place place, std::vector<T> values, DataType type = data_type_of<T>)
      : m_values(std::move(values)), m_type(type) {
    if (place != Place::host)
      m_device = std::make_unique<Testing::DeviceCopy<T>>(context(), m_values);
  }
  Array array(const Shape& shape, const Shape& strides = {}, std::size_t begin = 0) {
    if (m_device) return m_device->array(m_type, shape, strides, begin);
    return {m_values.data() + begin, m_type, shape, strides};
  }
  Array flat() { return array({static_cast<std::int64_t>(m_values.size())}); }
  std::vector<T> values() const { return m_device ? m_device->values() : m_values; }

 private:
  std::vector<T> m_values;
  DataType m_type;
  std::unique_ptr<Testing::DeviceCopy<T>> m_device;
};

/// A `Bulk` with the options of calls at a place.
struct Caller {
  const Place place;
  std::optional<Testing::DeviceStream> stream;
  Bulk bulk;

  explicit Caller(Place at) : place(at), bulk(context()) {
    if (place == Place::stream) stream.emplace(context());
  }
  BulkOptions options(bool reproducible = false) const {
    BulkOptions options;
    if (stream) options.stream = stream->stream();
    options.reproducible = reproducible;
    return options;
  }
  void wait() const {
    if (stream) stream->wait();
  }
};

/// Calls `body(caller)` for every place that there is.
template <class Body>
void at_places(const Body& body) {
  for (const Place place : {Place::host, Place::device, Place::stream})
    if (place == Place::host || context().is_usable(Space::cuda)) body(Caller(place));
}

}  // namespace Kindred::Testing::BulkTest

#endif  // KINDRED_TESTS_BULK_BULK_PLACES_HPP
