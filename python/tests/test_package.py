import inspect
from importlib.metadata import requires, version
from pathlib import Path

import matchq
import matchq.envs
from matchq import _matchq


def test_one_wheel_is_for_every_python_and_carries_its_types():
    assert Path(_matchq.__file__).name in ("_matchq.abi3.so", "_matchq.pyd")
    folder = Path(matchq.__file__).parent
    assert (folder / "py.typed").is_file() and (folder / "_matchq.pyi").is_file()
    assert matchq.__version__ == version("matchq")
    assert [need for need in requires("matchq") if "extra" not in need] == ["numpy>=1.22"]


def test_everything_public_is_documented_and_its_parameters_are_those_of_its_types():
    stub = (Path(matchq.__file__).parent / "_matchq.pyi").read_text()
    for name in set(matchq.__all__) - {"GAMES", "__version__"}:
        part = getattr(matchq, name)
        assert inspect.getdoc(part), name
        if part.__module__ != "matchq" or not inspect.isclass(part):
            continue
        for method, function in vars(part).items():
            if not method.startswith("_"):
                assert inspect.getdoc(function), f"{name}.{method}"
                assert f"def {method}(" in stub, f"{name}.{method}"
                if not callable(getattr(part, method)):
                    continue
                parameters = inspect.signature(getattr(part, method)).parameters
                body = stub[stub.index(f"def {method}(") :]
                declared = body[: body.index(") ->")]
                assert all(f"{parameter}:" in declared for parameter in parameters if parameter != "self"), method


def test_the_kits_signatures_are_the_agents():
    names = {
        "ai_callback": ["self", "board", "score", "moves_left"],
        "transition_callback": ["self", "board", "move", "score_delta", "next_board", "moves_left"],
        "end_of_game_callback": ["self", "boards", "scores", "moves", "final_score"],
    }
    for name, parameters in names.items():
        assert list(inspect.signature(getattr(matchq.Agent, name)).parameters) == parameters
