// SPDX-License-Identifier: Apache-2.0
// A libkindred.so.0 that only knows which one it is.
#include "Name.hpp"

extern "C" const char* fake_library_name() { return NAME; }
