# SPDX-License-Identifier: Apache-2.0
"""Coverage: counts of simulations are merged by source line, and whatever a whole run misses is named."""


from girih.build import coverage
from girih.build.coverage import Place, Point, Report, judge, never_simulated
from girih.build.generate import generated_rtl
from girih.paths import ROOT, RTL
from girih.spec.message import CardParams
from girih.testing import run_cocotb

FIFO = RTL / "primitives" / "fifo.sv"


def record(page: str, line: int, name: str, count: int, lines: str = "", file: str = str(FIFO)) -> str:
    keys = {"f": file, "l": line, "n": 5, "t": page, "page": f"{page}/fifo__D{count}", "o": name, "S": lines, "h": "fifo.u"}
    return "C '" + "".join(f"\1{key}\2{value}" for key, value in keys.items()) + f"' {count}"


def report(*records: str) -> Report:
    made = Report()
    made.add(records)
    return made


def place(line: int) -> Place:
    return Place(str(FIFO.relative_to(ROOT)), line)


def test_instances_and_parameters_are_one_source_line():
    found = report(record("v_line", 40, "block", 0, "40-42,44"), record("v_branch", 40, "if", 3, "41"))
    assert found.lines == {place(40): 0, place(41): 3, place(42): 0, place(44): 0}
    found.add([record("v_line", 40, "block", 7, "40-42,44")])
    assert found.missed_lines() == []


def test_cover_points_and_toggles_are_told_apart():
    found = report(record("v_user", 50, "full", 0), record("v_user", 50, "empty", 2), record("v_toggle", 50, "a[0]:0->1", 0))
    assert found.missed_points() == [Point(place(50), "full")]
    assert list(found.toggles.values()) == [0] and not found.lines


def test_kinds_of_tiles_of_tests_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(coverage, "BUILD", tmp_path)
    names = {"keeper.sv": False, "keeper_regs.sv": False, "eth_rx_regs.sv": True, "keepers.sv": True}
    for name, counts in names.items():
        found = report(record("v_line", 1, "block", 0, "1", file=str(tmp_path / "generated" / name)))
        assert bool(found.lines) == counts, name
    assert not report(record("v_line", 1, "block", 0, "1", file=str(ROOT / "tests" / "kinds" / "keeper" / "keeper_engine.sv"))).lines


def test_a_generated_file_is_known_by_its_name_and_its_lines_by_their_text(tmp_path, monkeypatch):
    """The same line is at another place in the file of another design."""
    monkeypatch.setattr(coverage, "BUILD", tmp_path)
    found = Report()
    for number, (folder, head) in enumerate({"one": "", "other": "// more\n"}.items()):
        file = tmp_path / "generated" / folder / "eth_rx.sv"
        file.parent.mkdir(parents=True)
        file.write_text(f"{head}module eth_rx;\n  function int f();\n    return 1;\n  endfunction\n  assign a = b;\nendmodule\n")
        at = number + 5
        found.add([record("v_user", at, "event", number, file=str(file)), record("v_line", at, "block", number, f"{at}", file=str(file))])
        found.add([record("v_line", at - 2, "block", 0, f"{at - 2}", file=str(file))])
    where = "generated/eth_rx.sv"
    assert found.points == {Point(Place(where, 0), "event"): 1}
    assert found.lines == {Place(where, 0, ("assign a = b;",)): 1, Place(where, 0, ("return 1;", "function f")): 0}
    assert judge(found, {where: {"function f": "worked out when the card is built"}}) == ["1 of 2 (50.0 %) of lines are hit; 95 % are wanted"]


def test_a_core_from_a_package_is_not_counted():
    file = str(coverage.BUILD / "generated" / "ibex-1" / "ibex_core.sv")
    assert report(record("v_line", 40, "block", 0, "40-42", file=file)) == Report()


def test_a_broken_copy_of_a_module_is_not_counted():
    broken = str(coverage.BUILD / "mutants" / "1" / FIFO.name)
    generated = str(coverage.BUILD / "generated" / "1" / "eth_rx.sv")
    assert report(record("v_line", 40, "block", 0, "40-42", file=broken), record("v_user", 50, "full", 0, file=broken)) == Report()
    assert report(record("v_user", 50, "event", 0, file=generated)).missed_points()


def test_what_is_missed_needs_a_reason_and_a_reason_needs_a_miss():
    found = report(record("v_user", 50, "full", 0), record("v_user", 51, "empty", 1))
    name = str(FIFO.relative_to(ROOT))
    (fault,) = judge(found, {})
    assert "full is never hit" in fault
    assert judge(found, {name: {"full": "its writer stops before"}}) == []
    assert any("no reason" in fault for fault in judge(found, {name: {"full": ""}}))
    assert any("not needed" in fault for fault in judge(found, {name: {"full": "so", "empty": "so"}}))


def test_too_few_lines_are_a_fault_whatever_the_reasons():
    lines = [record("v_line", line, "block", int(line > 6), str(line)) for line in range(1, 101)]
    texts = FIFO.read_text().splitlines()
    known = {str(FIFO.relative_to(ROOT)): {texts[line - 1].strip(): "so" for line in range(1, 7)}}
    (fault,) = judge(report(*lines), known)
    assert "94 of 100" in fault


def test_a_missed_line_needs_a_reason_and_one_reason_is_enough_for_a_function():
    package = RTL / "scheduler" / "rank" / "policy_pkg.sv"
    lines = package.read_text().splitlines()
    header = next(number for number, line in enumerate(lines, 1) if "function" in line and "least_shift" in line)
    hit = [record("v_line", 1, "block", 1, f"1-{header - 1}", file=str(package))]
    missed = [record("v_line", header, "block", 0, f"{header}-{header + 1}", file=str(package))]
    name = str(package.relative_to(ROOT))
    faults = judge(report(*hit, *missed), {})
    assert len(faults) == 2 and f"{name}:{header} `{lines[header - 1].strip()}` is never hit" in faults[0]
    known = {name: {"function least_shift": "worked out when the card is built"}}
    assert judge(report(*hit, *missed), known) == []
    (fault,) = judge(report(*hit), known)
    assert "not needed" in fault
    assert len(judge(report(*hit, *missed), {name: {"function passed_of": "so"}})) == 3


def test_a_module_that_no_test_simulates_is_named():
    names = never_simulated(report(record("v_line", 40, "block", 1, "40")))
    assert len(names) > 50 and not any("/fifo.sv" in name or "_pkg.sv" in name or "/formal/" in name for name in names)
    assert any(name.startswith("rtl/primitives/skid_buffer.sv: ") for name in names)


def test_every_exception_is_of_a_file_that_exists_and_has_what_it_names():
    made = generated_rtl(CardParams())
    for file, reasons in coverage.exceptions().items():
        folder, _, name = file.partition("/")
        text = (made / name if folder == coverage.GENERATED else ROOT / file).read_text()
        for name, reason in reasons.items():
            assert len(reason) > 10 and name.removeprefix("function ") in text, f"{file}: {name}"


def test_a_simulation_is_counted(tmp_path, monkeypatch):
    """The tests of a queue hit each of its lines and cover points."""
    monkeypatch.setenv(coverage.VARIABLE, str(tmp_path))
    run_cocotb("fifo", str(FIFO.with_name("test_fifo.py")), parameters={"Depth": 2})
    found = Report.of(tmp_path)
    names = {point.name for point in found.points}
    assert {"full", "refused", "full_and_read", "write_wraps", "wraps_while_held_back"} <= names
    assert not found.missed_points() and not found.missed_lines()
    assert {where.file for where in found.lines} == {str(FIFO.relative_to(ROOT))}
