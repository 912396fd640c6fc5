# SPDX-License-Identifier: Apache-2.0
"""Fusion of rankings"""


class Rankings(Kind):
    c = ("const uint64_t* {n}", "const double* scores?", "const uint64_t* offsets", "size_t rankings")
    c_lines = ('const RaggedSpan<std::uint64_t> rows = ragged_of({n}, offsets, rankings, "{n}");',
               "std::vector<std::vector<RankedItem>> items(rankings);",
               "for (std::size_t ranking = 0; ranking < rankings; ++ranking)",
               "  for (std::uint64_t i = rows.offsets[ranking]; i < rows.offsets[ranking + 1]; ++i)",
               "    items[ranking].push_back({rows.values[i], scores == nullptr ? 0 : scores[i]});")
    c_value = "items"


class WeightsField(ListOfField):
    c_lines = ('const std::span<const double> {n} = span_of(given.{n}, given.{n}_size, "{n}");', "out.{n}.assign({n}.begin(), {n}.end());")


class FusionRule(Enum, c="KINDRED_FUSION_", values="reciprocal_rank borda"):
    """The score of an item: the sum of weight / (constant + place), or of weight * (length - place + 1) / length."""


class FusionOptions(Options, c="fusion_options"):
    """Options of a fusion."""
    top: Count(1) = 10
    constant: Double = 60  # of reciprocal rank fusion, >= 0
    weights: Weights("double") = None  # one per ranking, >= 0; NULL: all 1
    rule: FusionRule = "reciprocal_rank"


class RankFusion(Functions, namespace="Fusion", header="kindred/matcher/RankFusion.hpp"):
    """Rankings of the same items become one."""

    @only("c")
    def fuse_rankings(ids: Rankings, options: FusionOptions) -> Ragged:
        """Fuses rankings of the same items into one.

        C Args:
            ids: ranking i is ids[offsets[i] ... offsets[i + 1]), best first
            scores: of the items in their rankings, for the reasons only; NULL: 0
        """
