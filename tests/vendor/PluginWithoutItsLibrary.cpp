// SPDX-License-Identifier: Apache-2.0
// Linkers drop a library of which nothing is used.
extern "C" int kindred_test_absent();
extern "C" int kindred_test_needed() { return kindred_test_absent(); }
