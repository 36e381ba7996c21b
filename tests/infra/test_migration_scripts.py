"""Taking a migration's script apart, as a spread database needs it."""

from hundi.infra.migrations import statements


def test_a_script_is_taken_apart_at_its_semicolons_alone() -> None:
    body = "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $x$ SELECT ';'; $x$"
    script = (
        f"-- first; of two\nALTER TABLE a ADD b text DEFAULT 'it''s; so';\n{body};\n-- the end;\n"
    )
    found = [each.strip() for each in statements(script)]
    assert found == ["-- first; of two\nALTER TABLE a ADD b text DEFAULT 'it''s; so'", body]


def test_a_comment_between_stars_and_a_quoted_name_are_one_part_each() -> None:
    script = """/* don't; stop */ ALTER TABLE "a;b" ADD c int; /* the end; */"""
    assert [each.strip() for each in statements(script)] == [
        """/* don't; stop */ ALTER TABLE "a;b" ADD c int"""
    ]
