# SPDX-License-Identifier: Apache-2.0
"""What the machine must have is found where it is, and named where it is not."""

import os
import re

import pytest
from find_libpython import find_libpython

from girih import bootstrap
from girih.errors import GirihError
from girih.paths import ROOT


def test_the_library_of_python_is_found_as_cocotb_finds_it():
    assert bootstrap._present(bootstrap.LIBPYTHON) == (find_libpython() is not None)


def test_the_library_of_another_python_is_missed():
    assert not bootstrap._has_library("libpython9.9.so")


def test_what_is_missing_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(bootstrap.SYSTEM, "libpython9.9", "libpython9.9.so")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(GirihError, match=r"sudo apt-get install -y libpython9\.9"):
        bootstrap.ensure(packages=("libpython9.9", "g++"))


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """The environment is one in another folder, which is not there yet."""
    monkeypatch.setattr(bootstrap, "BUILD", tmp_path)
    for name, path in (("ENVIRONMENT", "env"), ("PYTHON", "env/bin/python"), ("MADE", "env/.made")):
        monkeypatch.setattr(bootstrap, name, tmp_path / path)


@pytest.mark.usefixtures("elsewhere")
def test_an_environment_whose_making_was_interrupted_is_made_again(monkeypatch):
    interrupted = True

    def run(title, _command, **_options):
        if "environment" in title:
            bootstrap.PYTHON.parent.mkdir(parents=True)
            bootstrap.PYTHON.touch()
            if interrupted:
                raise KeyboardInterrupt
            (bootstrap.ENVIRONMENT / "pip").touch()
        else:
            assert (bootstrap.ENVIRONMENT / "pip").exists()

    monkeypatch.setattr(bootstrap, "_run", run)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.ensure()
    interrupted = False
    bootstrap.ensure(("synth",))
    assert bootstrap._installed("base") and bootstrap._installed("synth")


@pytest.mark.usefixtures("elsewhere")
def test_an_environment_in_a_cache_that_was_emptied_is_made_again(monkeypatch):
    monkeypatch.setattr(bootstrap, "BUILD", bootstrap.BUILD / "cache" / "build-1234")
    monkeypatch.setattr(bootstrap, "_run", lambda *_words, **_options: bootstrap.ENVIRONMENT.mkdir(exist_ok=True))
    bootstrap.ensure()
    assert bootstrap._stamp("base").exists() and bootstrap.BUILD.is_dir()


@pytest.mark.usefixtures("elsewhere")
def test_an_environment_with_packages_is_whole(monkeypatch):
    """The command that needs another group may be running in it."""
    bootstrap.PYTHON.parent.mkdir(parents=True)
    bootstrap.PYTHON.touch()
    bootstrap._stamp("base").write_bytes(bootstrap._requirements("base").read_bytes())
    titles = []
    monkeypatch.setattr(bootstrap, "_run", lambda title, *_words, **_options: titles.append(title))
    bootstrap.ensure(("cores",))
    assert titles == ["installing Python packages (cores)"] and bootstrap._installed("base") and bootstrap._installed("cores")


def test_every_command_that_builds_cards_has_the_compiler_for_them():
    builders = [path.stem for path in (ROOT / "python" / "girih" / "cli").glob("*.py") if re.search(r"build_model|VirtualCard(\.open)?\(", path.read_text())]
    assert {"run", "build"} < set(builders)
    for command in builders:
        assert set(bootstrap.SIMULATOR) <= set(bootstrap.NEEDS[command][1]), command


def test_everything_that_a_command_needs_can_be_looked_for():
    for packages in (*(packages for _groups, packages in bootstrap.NEEDS.values()), bootstrap.THOROUGH):
        assert set(packages) <= set(bootstrap.SYSTEM)


@pytest.mark.parametrize(("arguments", "needed"), [(["test"], False), (["test", "--thorough"], True), (["test", "--thorough", "--help"], False), (["build", "--thorough"], False)])
def test_dpdk_is_needed_by_a_thorough_run_alone(monkeypatch, arguments, needed):
    asked = []
    monkeypatch.setattr(bootstrap, "ensure", lambda _groups, packages: asked.extend(packages))
    monkeypatch.setattr(bootstrap.os, "execv", lambda *_words: None)
    monkeypatch.setattr(bootstrap.os, "environ", dict(os.environ))
    bootstrap.main(arguments)
    assert ("dpdk-dev" in asked) == needed
