// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_THREAD_SANITIZER_HPP
#define KINDRED_TESTS_SUPPORT_THREAD_SANITIZER_HPP

namespace Kindred::Testing {

/// \brief Whether this is a build for ThreadSanitizer.
///
/// ThreadSanitizer does not support the OpenMP runtime and cannot see its barriers: consecutive
/// accesses by the threads of a parallel region look like a race. The shared context has one thread
/// in such a build, and tests whose regions have several threads are skipped.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

/// Whether AddressSanitizer is in use: it reserves terabytes of address space, and its allocator
/// does not survive a fork beside other threads.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#else
inline constexpr bool address_sanitizer = false;
#endif

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_THREAD_SANITIZER_HPP
