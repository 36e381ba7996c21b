"""Which fast tests a change reaches: in a small repository, and in ours."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tools.quick.needs import Needs, needs_of
from tools.quick.reach import Reach, Repository
from tools.quick.scripts import Script, script, scripts

ROOT = Path(__file__).parents[2]
FIXTURE = "import pytest\n@pytest.fixture\n"
SERVERS = f"{FIXTURE}def gateway():\n    pass\n{FIXTURE}def shop(gateway):\n    pass\n"
TESTS: Mapping[str, str] = {
    "tests/conftest.py": SERVERS,
    "tests/places.py": "",
    "tests/orders/conftest.py": f"{FIXTURE}def cart():\n    pass\n",
    "tests/orders/test_rules.py": "def test_a_sum(cart):\n    pass\n",
    "tests/orders/test_words.py": "def test_a_word():\n    pass\n",
    "tests/orders/test_paid.py": "def test_a_payment(shop):\n    pass\n",
    "tests/page/test_look.py": 'PAGES = "templates/*"\ndef test_a_look():\n    pass\n',
    "tests/page/test_links.py": "def test_a_link():\n    pass\n",
    "tests/system/test_all.py": "def test_everything():\n    pass\n",
    "tests/house/test_sql.py": "def test_a_statement():\n    pass\n",
    "tests/test_build.py": 'FILE = "Makefile"\ndef test_a_build():\n    pass\n',
}
NEEDS: Needs = {
    "src/hundi/__init__.py": frozenset(),
    "src/hundi/money.py": frozenset(),
    "src/hundi/orders.py": frozenset({"src/hundi/money.py"}),
    "src/hundi/page/__init__.py": frozenset(),
    "src/hundi/page/render.py": frozenset(),
    "tests/conftest.py": frozenset({"tests/places.py", "src/hundi/orders.py"}),
    "tests/places.py": frozenset(),
    "tests/orders/conftest.py": frozenset({"src/hundi/orders.py"}),
    "tests/orders/test_rules.py": frozenset(),
    "tests/orders/test_words.py": frozenset(),
    "tests/orders/test_paid.py": frozenset({"src/hundi/orders.py"}),
    "tests/page/test_links.py": frozenset({"src/hundi/page/render.py"}),
    "tests/page/test_look.py": frozenset(),
    "tests/house/test_sql.py": frozenset(),
    "tests/test_build.py": frozenset(),
}
HOUSE = "tests/house/test_sql.py"


@pytest.fixture(scope="module")
def small() -> Repository:
    return Repository([script(path, source) for path, source in TESTS.items()], NEEDS)


def test_nothing_that_changed_reaches_nothing(small: Repository) -> None:
    assert small.reach([]) == Reach("", (), (), (), ())


def test_a_module_reaches_who_needs_it_over_others_and_over_fixtures(small: Repository) -> None:
    reach = small.reach(["src/hundi/money.py"])
    assert reach == Reach("", ("tests/orders/test_rules.py",), (), (), (HOUSE,))


def test_a_test_reaches_itself(small: Repository) -> None:
    assert small.reach(["tests/orders/test_words.py"]).importing == ("tests/orders/test_words.py",)


def test_a_test_that_needs_a_server_is_not_fast(small: Repository) -> None:
    fast = small.fast_tests.needed
    assert {"tests/orders/test_paid.py", "tests/system/test_all.py"}.isdisjoint(fast)
    assert set(TESTS) - set(fast) - {"tests/orders/test_paid.py", "tests/system/test_all.py"} == {
        "tests/conftest.py",
        "tests/places.py",
        "tests/orders/conftest.py",
    }


def test_a_template_reaches_who_needs_its_package_and_who_names_its_folder(
    small: Repository,
) -> None:
    reach = small.reach(["src/hundi/page/templates/pay.html"])
    links, look = ("tests/page/test_links.py",), ("tests/page/test_look.py",)
    assert reach == Reach("", links, look, (), (HOUSE,))


def test_a_file_reaches_who_names_it(small: Repository) -> None:
    assert small.reach(["Makefile"]).naming == ("tests/test_build.py",)


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("tests/orders/vectors/sums.json", ["orders/test_rules.py", "orders/test_words.py"]),
        ("docs/orders/sums.json", ["test_build.py"]),
        ("unknown.toml", ["test_build.py"]),
        ("src/hundi/gone/rules.py", ["test_build.py"]),
        ("src/hundi/page_of_old/gone.py", ["test_build.py"]),
    ],
)
def test_what_is_unknown_reaches_the_nearest_folder(
    small: Repository, path: str, nearest: Sequence[str]
) -> None:
    assert [*small.reach([path]).nearest] == [f"tests/{name}" for name in nearest]


@pytest.mark.parametrize("path", ["pyproject.toml", "tests/conftest.py", "tests/places.py"])
def test_what_decides_how_tests_run_reaches_every_test(small: Repository, path: str) -> None:
    reach = small.reach(["src/hundi/money.py", path])
    assert (reach.all_because, reach.files) == (f"{path} changed", sorted(small.fast_tests.needed))


def test_fixtures_that_every_test_has_make_it_need_their_file() -> None:
    always = "import pytest\n@pytest.fixture(autouse=True)\ndef clock():\n    pass\n"
    given = [
        script("tests/orders/conftest.py", always),
        script("tests/orders/test_rules.py", "def test_a_sum():\n    pass\n"),
    ]
    needs: Needs = {"tests/orders/conftest.py": frozenset({"src/hundi/clock.py"})}
    assert Repository(given, needs).reach(["tests/orders/conftest.py"]).importing


# --- ours ---


@cache
def read() -> Sequence[Script]:
    return scripts(ROOT)


@cache
def ours() -> Needs:
    return needs_of(ROOT, read())


def test_a_module_that_loads_kinds_by_name_needs_them() -> None:
    needed = ours()["src/hundi/acquirers/kinds.py"]
    assert {"src/hundi/acquirers/razorpay/kind.py", "src/hundi/acquirers/sandbox/kind.py"} <= needed


def test_the_command_line_needs_the_commands_that_it_loads_by_name() -> None:
    assert "src/hundi/cli/audit.py" in ours()["src/hundi/cli/__init__.py"]


def test_a_type_that_is_only_checked_is_not_needed() -> None:
    assert "src/hundi/api/context.py" not in ours()["src/hundi/api/strays.py"]


def test_every_python_file_is_known() -> None:
    patterns = ("src/**/*.py", "tests/**/*.py", "tools/**/*.py")
    there = {path.relative_to(ROOT).as_posix() for each in patterns for path in ROOT.glob(each)}
    unknown = {path for path in there - set(ours()) if "/migrations/versions/" not in path}
    assert unknown == set()


def test_a_rule_reaches_its_own_tests_and_few_others() -> None:
    repository = Repository(read(), ours())
    reach = repository.reach(["src/hundi/payments/refunds/rules.py"])
    assert "tests/payments/refunds/test_rules.py" in reach.importing
    assert "tests/wire/test_cipher.py" not in reach.files
