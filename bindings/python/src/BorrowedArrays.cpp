// SPDX-License-Identifier: Apache-2.0
#include "Arrays.hpp"

#include <utility>

namespace Kindred::Python {

namespace {
thread_local constinit BorrowedArrays* present_list = nullptr;
}

BorrowedArrays* BorrowedArrays::present() noexcept { return present_list; }

BorrowedArrays::Scope::Scope(BorrowedArrays& of) noexcept
    : m_before(std::exchange(present_list, &of)) {}
BorrowedArrays::Scope::~Scope() { present_list = m_before; }

int BorrowedArrays::traverse(visitproc visit, void* arg) const {
  for (const Borrowed* const array : m_arrays) {
    if (const int result = array->traverse(visit, arg)) return result;
  }
  return 0;
}

int Borrowed::traverse(visitproc visit, void* arg) const {
  Py_VISIT(m_owner.ptr());
  Py_VISIT(m_capsule.ptr());
  if (m_has_buffer) Py_VISIT(m_buffer.obj);
  return 0;
}

}  // namespace Kindred::Python
