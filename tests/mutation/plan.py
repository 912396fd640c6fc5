# SPDX-License-Identifier: Apache-2.0
"""What is mutated, and what has to be compiled for it: a rename is a change of this file alone."""

# Sources and headers, by the group that a report counts them in.
MUTATED = {
    "dispatcher": [
        "backends/src/Dispatcher.cpp",
        "backends/src/DispatcherState.hpp",
        "backends/src/CallHistory.cpp",
        "backends/src/CostCurve.cpp",
        "backends/src/CircuitBreaker.cpp",
        "backends/src/ObservationWindow.cpp",
    ],
    "selection": [
        "core/include/kindred/core/select/impl/LeastKeys.hpp",
        "core/include/kindred/core/select/special/BufferTopK.hpp",
        "core/include/kindred/core/select/impl/TopKRows.hpp",
    ],
    "bounds": [
        "core/include/kindred/core/vector/PrefilterBound.hpp",
        "core/include/kindred/core/vector/TileBound.hpp",
    ],
    "kit": [
        "matcher/kit/HashTable.hpp",
        "matcher/kit/HashTable.cpp",
        "matcher/kit/CallerArrays.cpp",
        "matcher/kit/CallOrder.hpp",
        "matcher/kit/LiveParts.hpp",
        "matcher/kit/MadeOnce.hpp",
        "matcher/kit/Overlap.hpp",
        "matcher/kit/Preparation.hpp",
        "matcher/kit/StreamWorkspaces.hpp",
        "matcher/kit/Turn.hpp",
    ],
    "launch": [
        "core/include/kindred/core/launch/ForEachIndex.hpp",
        "core/include/kindred/core/launch/ForEachTeam.hpp",
        "core/include/kindred/core/launch/StartKernel.hpp",
        "core/include/kindred/core/arch/launch/HostPieces.hpp",
        "core/src/launch/StartKernel.cpp",
    ],
    "file readers": [
        "matcher/storage/SectionFile.cpp",
        "matcher/storage/SectionFormat.cpp",
        "matcher/storage/SectionChecks.hpp",
        "matcher/storage/NpyHeader.cpp",
        "matcher/storage/NpyFile.cpp",
        "matcher/patterns/StoredPatterns.cpp",
        "matcher/vector/StoredVectors.cpp",
        "matcher/graph/StoredGraph.cpp",
        "matcher/hnsw/StoredHnsw.cpp",
        "matcher/seed/StoredSeeds.cpp",
    ],
}

# Functions that are not mutated: those that write files, the rest of what reads them is compared with.
LEFT_OUT = ("write", "save_", "checked_head", "for_each_live_run", "shown_shape", "version_text", "append_rows")

# Not mutated, but compiled with the mutated headers.
COMPILED_TOO = [
    "core/src/select/TopK.cpp",
    "core/src/vector/Prefilter.cpp",
    "core/src/vector/QuantizedRows.cpp",
]

# The programs that run the tests, with the targets whose object files they are made of.
PROGRAMS = {
    "backends": "test_backends",
    "storage": "test_storage",
    "select": "test_select_kernels",
    "patterns": "test_patterns",
    "vector": "test_vector",
    "hnsw": "test_hnsw",
    "graph": "test_graph",
    "seed": "test_seed",
    "engines": "test_engines",
}
# Tests that use mutated headers themselves: they are compiled again, into a program of their own, `headers`.
TESTS_OF_HEADERS = [
    "tests/engines/Test_CallOrder.cpp",
    "tests/engines/Test_LiveParts.cpp",
    "tests/engines/Test_StreamWorkspaces.cpp",
    "tests/launch/Test_ForEach.cpp",
    "tests/storage/Test_SectionChecks.cpp",
    "tests/threads/Test_MadeOnce.cpp",
    "tests/vector/kernels/Test_Prefilter.cpp",
    "tests/vector/kernels/Test_PrefilterBound.cpp",
    "tests/vector/kernels/Test_TileBound.cpp",
]

# Tests that measure times or limit the threads of a user, which another load fails, and slow ones, which kill nothing that others do not.
EXCLUDED_TESTS = [
    "FewThreadsDeathTest.*",
    "OpenMPTeams.*",
    "PatternMemoryFile.AForgedFileIsRejected*",
    "StoredVectors.DetectEveryChangedByte*",
    "VectorFile.SurvivesEveryTruncation*",
    "HnswFile.RejectsOrSurvivesEveryForgedByte",
    "HnswFile.RejectsEveryChangedByte",
    "TopK.MatchesReferenceOnLongRows*",
    "VectorMemory.IsAtMost64Mebibytes*",
    "VectorAnswers.MatchReferenceOnManyRows*",
    "VectorPaths.SplitQueriesAndRowsToFitTheBudget*",
    "VectorPaths.StreamRows*",
    "VectorPaths.GiveTheSameBitsInTwoHundredRepeats*",
    "CsrHop.AnyNumberOfColumns*",
    "SpreadCost.HopsFromEverywhereReadAllEdges*",
    "GraphUpdates.LongRowsAreRebuilt*",
    "PageRank.*",
]

# Names (`string`: a literal, too) whose types lack an operator's opposite, and what it becomes instead; None: it is left alone. Strings and pointers have
# sums but no differences, sets of spaces only an intersection.
_TEXTS_AND_POINTERS = {"string", "to_string", "in_quotes", "located", "begin", "end", "data", "m_prefix", "name", "sorted", "kept",
                       "target", "why", "m_data", "table", "path", "m_path", "now", "time"}  # fmt: skip
OPERATORS_OF = {
    "+": [(_TEXTS_AND_POINTERS, None)],
    "-": [(_TEXTS_AND_POINTERS, None)],
    "&": [({"resident"}, None)],
    "<": [({"bound", "from_b", "middle"}, "==")],
}


def all_mutated():
    return [name for names in MUTATED.values() for name in names]


def group_of(name):
    return next(group for group, names in MUTATED.items() if name in names)


def is_left_out(function):
    return function.startswith(LEFT_OUT)
