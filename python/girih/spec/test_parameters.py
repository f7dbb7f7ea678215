# SPDX-License-Identifier: Apache-2.0
"""Rules for parameters: the values of expressions, what the rules allow, and the sentence that says so."""

import pytest

from girih.spec.message import CardParams
from girih.spec.parameters import EngineParameter, Parameters, evaluate

NAMED = {"W": 512, "FlitBytes": 64, "Kind0": 2}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (7, 7),
        ("2 * W / FlitBytes", 16),
        ("1 << $clog2(2 * 141)", 512),
        ("$clog2(1)", 0),
        ("$clog2(2)", 1),
        ("$clog2(W + 1) - 1", 9),
        ("Kind0 == 2 ? 2 : 1", 2),
        ("Kind0 < 2 ? 2 : W", 512),
        ("(W + FlitBytes - 1) / FlitBytes", 8),
    ],
)
def test_expressions(expression, value):
    assert evaluate(expression, NAMED.__getitem__) == value


@pytest.mark.parametrize("expression", ["Width", "W +", "W ** 2", "W if W else 1", "clog3(W)", "'W'", "1 ? 2", "__import__('os')"])
def test_expressions_that_are_none(expression):
    with pytest.raises(ValueError, match="is not understood"):
        evaluate(expression, NAMED.__getitem__)


@pytest.mark.parametrize(
    ("rule", "good", "bad", "remedy"),
    [
        ({}, [3, 4, 20], [2, 21, -1, 0], "It may be 3 to 20."),
        ({"power_of_two": True}, [4, 8, 16], [3, 5, 20, 32, 0], "It may be a power of two, 4 to 16."),
        ({"divides": "FlitBytes / 4"}, [4, 8, 16], [3, 5, 20], "It may be a divisor of 16, 4 to 16."),
        ({"multiple_of": 5}, [5, 10, 20], [3, 4, 25], "It may be a multiple of 5, 5 to 20."),
        ({"zero": "none", "power_of_two": True}, [0, 4, 16], [1, 2, 3, 32], "It may be 0, or a power of two, 4 to 16."),
        ({"zero": "none", "min": 0, "max": 1}, [0, 1], [2, -1], "It may be 0 to 1."),
        ({"min": 9, "max": 15, "power_of_two": True}, [], [8, 9, 15, 16], "No value fits the others; change those."),
        ({"min": "Other", "max": "Other"}, [7], [6, 8], "It may be 7 only."),
    ],
)
def test_rules(rule, good, bad, remedy):
    item = EngineParameter("item", **{"default": 4, "min": 3, "max": 20, "doc": "it"} | rule)
    known = Parameters((item, EngineParameter("other", 7, 0, 9, "the other")), CardParams(512), {})
    assert all(known.allows(item, value) for value in good)
    assert not any(known.allows(item, value) for value in bad)
    assert known.remedy(item) == remedy
    if good:
        assert known.limits(item) == (min(value for value in good if value or item.min == 0), max(good))


def test_a_rule_follows_what_is_given_and_the_card():
    item = EngineParameter("item", "2 * Other", "MaxFrameFlits", "100 * Other", "it")
    other = EngineParameter("other", 7, 0, 9, "the other")
    assert Parameters((item, other), CardParams(512), {}).limits(item) == (141, 700)
    narrow = Parameters((item, other), CardParams(128, max_frame=1518), {"other": 9})
    assert narrow.limits(item) == (95, 900) and narrow.value(item) == 18
