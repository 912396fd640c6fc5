// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_PAGE_HPP
#define KINDRED_TOOLS_REPORT_PAGE_HPP

namespace Kindred::Tools::Page {

extern const char* const css;
extern const char* const js;

}  // namespace Kindred::Tools::Page

#endif  // KINDRED_TOOLS_REPORT_PAGE_HPP
