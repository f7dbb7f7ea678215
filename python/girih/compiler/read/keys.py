# SPDX-License-Identifier: Apache-2.0
"""Reads the keys of a mapping of a design file, and reports each mistake."""

from __future__ import annotations

from girih.compiler import values
from girih.compiler.read.parse import Map, Report, Scalar, Seq, Tree


def mapping(tree: Map, known: tuple[str, ...], owner: str, report: Report) -> dict[str, Tree]:
    """The entries of a mapping by key; an unknown key is reported, and used as the known key that it resembles."""
    for key, _ in tree.entries:
        if key.text not in known:
            hint = values.did_you_mean(key.text, known)
            report.error(key.line, f"{owner} has no key {key.text}", f"{hint}It may have {values.listing(known)}.")
    keys = {key.text: value for key, value in tree.entries}
    guesses = {values.closest(key, known): value for key, value in keys.items() if key not in known}
    return {key: value for key, value in (guesses | keys).items() if key in known}


def number(keys: dict[str, Tree], key: str, low: int, high: int, default: int, report: Report, owner: str = "") -> int:
    """The number of a key, the default if it is missing or wrong. owner: the owner's name for messages."""
    if key not in keys:
        return default
    name = f"{key} of {owner}" if owner else key
    value = values.number(keys[key])
    if value is None:
        found = values.what_it_is(keys[key])
        report.error(keys[key].line, f"{name} is {found}; it must be a whole number", f"Write {key}: {default}")
        return default
    if not low <= value <= high and key != "width":  # a width has its own message
        report.error(keys[key].line, f"{name} is {value}, out of range", values.span(low, high))
        return default
    return value


def flag(keys: dict[str, Tree], key: str, report: Report, owner: str) -> bool:
    """A flag, false if it is missing or wrong."""
    tree = keys.get(key)
    if tree is None:
        return False
    if not isinstance(tree, Scalar) or not isinstance(tree.value, bool):
        found = values.what_it_is(tree)
        report.error(tree.line, f"{key} of {owner} is {found}; it is a flag", f"Write {key}: true or {key}: false")
        return False
    return tree.value


def word(keys: dict[str, Tree], key: str, known: tuple[str, ...], default: str, report: Report, owner: str) -> str:
    """One of several words, the default if it is missing or wrong."""
    tree = keys.get(key)
    if tree is None:
        return default
    found = tree.text if isinstance(tree, Scalar) and tree.value is not None else values.what_it_is(tree)
    if found not in known:
        hint = values.did_you_mean(found, known)
        report.error(tree.line, f"{key} of {owner} is {found}", f"{hint}It may be {values.listing(known)}.")
        return default
    return found


def name(keys: dict[str, Tree], key: str, report: Report, owner: str, example: str) -> Scalar | None:
    """One word; None if it is missing or wrong."""
    tree = keys.get(key)
    if tree is None or (isinstance(tree, Scalar) and tree.value is not None):
        return tree
    report.error(tree.line, f"{key} of {owner} is {values.what_it_is(tree)}; it must be one name", f"Write {key}: {example}")
    return None


def names(keys: dict[str, Tree], key: str, report: Report, owner: str, example: str) -> tuple[Scalar, ...]:
    """One word or a list of different words; empty if it is missing or wrong."""
    tree = keys.get(key)
    if tree is None:
        return ()
    items = tree.items if isinstance(tree, Seq) else (tree,)
    words = [item for item in items if isinstance(item, Scalar) and item.value is not None]
    if len(words) < len(items):
        report.error(tree.line, f"{key} of {owner} is {values.what_it_is(tree)}", f"Write {key}: {example}")
        return ()
    texts = [item.text for item in words]
    for index, item in enumerate(words):
        if item.text in texts[:index]:
            report.error(item.line, f"{key} of {owner} names {item.text} twice", "Name it once.")
    return tuple(item for index, item in enumerate(words) if item.text not in texts[:index])
