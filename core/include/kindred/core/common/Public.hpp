// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_PUBLIC_HPP
#define KINDRED_CORE_COMMON_PUBLIC_HPP

/// \brief Marks a block of the namespace in a public header: the shared library exports what it
/// declares.
///
/// Everything else is hidden in it. Inline functions are compiled into whoever calls them. The
/// attribute does not reach function templates outside of classes, which are not exported.
#define KINDRED_PUBLIC [[gnu::visibility("default")]]

/// Excludes the private class of a public one, where a source defines it: `struct KINDRED_HIDDEN
/// Trace::State`.
#define KINDRED_HIDDEN [[gnu::visibility("hidden")]]

#endif  // KINDRED_CORE_COMMON_PUBLIC_HPP
