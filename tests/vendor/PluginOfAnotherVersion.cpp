// SPDX-License-Identifier: Apache-2.0
// A plugin that answers as one of another version of Kindred does.
extern "C" const void* kindred_host_library(const char*) { return nullptr; }
