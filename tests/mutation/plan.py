# SPDX-License-Identifier: Apache-2.0
"""What is mutated, and what has to be compiled for it: a rename is a change of this file alone."""

_CORE = "core/include/kindred/core/"
# Sources and headers, by the group that a report counts them in, and by their folder.
_MUTATED_OF_FOLDERS = {
    "dispatcher": {"backends/src/": ["Dispatcher.cpp", "DispatcherState.hpp", "CallHistory.cpp", "CostCurve.cpp", "CircuitBreaker.cpp", "ObservationWindow.cpp"]},
    "selection": {_CORE + "select/": ["impl/LeastKeys.hpp", "special/BufferTopK.hpp", "impl/TopKRows.hpp"]},
    "bounds": {_CORE + "vector/": ["PrefilterBound.hpp", "TileBound.hpp"]},
    "kit": {
        "matcher/kit/": [
            "HashTable.hpp", "HashTable.cpp", "CallerArrays.cpp", "CallOrder.hpp", "LiveParts.hpp", "MadeOnce.hpp", "Overlap.hpp", "Preparation.hpp",
            "StreamWorkspaces.hpp", "Turn.hpp",
        ]
    },
    "launch": {
        _CORE: ["launch/ForEachIndex.hpp", "launch/ForEachTeam.hpp", "launch/StartKernel.hpp", "arch/launch/HostPieces.hpp"],
        "core/src/launch/": ["StartKernel.cpp"],
    },
    "file readers": {
        "matcher/": [
            "storage/SectionFile.cpp", "storage/SectionFormat.cpp", "storage/SectionChecks.hpp", "storage/NpyHeader.cpp", "storage/NpyFile.cpp",
            "patterns/StoredPatterns.cpp", "vector/StoredVectors.cpp", "graph/StoredGraph.cpp", "hnsw/StoredHnsw.cpp", "seed/StoredSeeds.cpp",
        ]
    },
}  # fmt: skip
MUTATED = {
    group: [folder + name for folder, names in folders.items() for name in names] for group, folders in _MUTATED_OF_FOLDERS.items()
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
    "tests/engines/Test_HashTable.cpp",
    "tests/engines/Test_LiveParts.cpp",
    "tests/engines/Test_Preparation.cpp",
    "tests/engines/Test_StreamWorkspaces.cpp",
    "tests/launch/Test_ForEach.cpp",
    "tests/select/kernels/Test_BufferTopK.cpp",
    "tests/storage/Test_SectionChecks.cpp",
    "tests/threads/Test_MadeOnce.cpp",
    "tests/threads/Test_Turn.cpp",
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
