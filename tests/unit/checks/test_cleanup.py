"""A swallowed exception hides nothing where the ``try`` only gives something up."""

import pytest

GIVE_UP = [
    "conn.close()",
    "await session.aclose()",
    "self._pool.shutdown(wait=False)",
    "process.kill()\nprocess.join()",
    "os.unlink(path)",
    "shutil.rmtree(folder)",
    "window.after_cancel(job)",
    "cursor.close()  # both\n\nconn.rollback()\nconn = None",
    "del cache[key]",
]
WORK = [
    "save(order)",
    "conn.close()\nsave(order)",
    "rows = conn.close()",
    "conn.commit()",
    "close_order(order)",
    "os.remove(path) or save(order)",
    "if x:\n    conn.close()",
    "a.close()\nb.close()\nc.close()\nd.close()\ne.close()\nf.close()",
]


def swallowing(body):
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"def f(conn):\n    try:\n{lines}    except Exception:\n        pass\n"


def rules(linter, source):
    (result,) = linter.check([source])
    return [hit.rule for hit in result.hits if hit.rule == "S110"]


@pytest.mark.parametrize("body", GIVE_UP)
def test_a_clean_up_may_fail(linter, make_source, body):
    assert rules(linter, make_source("a.py", swallowing(body))) == []


@pytest.mark.parametrize("body", WORK)
def test_work_may_not(linter, make_source, body):
    assert rules(linter, make_source("a.py", swallowing(body))) == ["S110"]


def test_a_bare_except_around_a_clean_up_still_catches_an_interrupt(linter, make_source):
    (result,) = linter.check([make_source("a.py", swallowing("conn.close()").replace(" Exception", ""))])
    assert [hit.rule for hit in result.hits] == ["E722"]


@pytest.mark.parametrize("body", ["conn.close()", "x = 1"])
def test_a_try_with_other_handlers_is_judged_by_its_body(linter, make_source, body):
    text = swallowing(body).replace("    except", "    except OSError:\n        raise\n    except", 1)
    assert rules(linter, make_source("a.py", text)) == ["S110"]
