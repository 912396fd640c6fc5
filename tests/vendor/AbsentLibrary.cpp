// SPDX-License-Identifier: Apache-2.0
// A library that the loader does not find when the plugin that needs it is opened.
extern "C" int kindred_test_absent() { return 1; }
