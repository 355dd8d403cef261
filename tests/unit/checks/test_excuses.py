"""Prose, markup, tests and options are told from code, and the true defect beside them is still found."""

import pytest
from tests.growth import assert_linear

from pr_review.checks import leftovers, tls

TEXT = [
    ("a.vue", "<template><p>debugger;</p></template>\n<script>\nlet x = 1\n</script>"),
    ("a.vue", "<template>\n  debugger;\n</template>"),
    ("a.svelte", "<script>let x</script>\n<p>\n  debugger;\n</p>"),
    ("a.svelte", "<!-- <script>\ndebugger;\n</script> -->"),
    ("a.jsx", "const help = <p>debugger;</p>;"),
    ("a.tsx", 'const help = (\n  <p className="x">\n    debugger;\n  </p>\n);'),
    ("a.jsx", "const help = <p>Open the debugger;</p>;"),
    ("a.jsx", "const help = <p>{name} debugger;</p>;"),
]  # fmt: skip
STATEMENT = [
    ("a.vue", "<template><p>x</p></template>\n<script>\ndebugger;\n</script>"),
    ("a.vue", '<script setup lang="ts">\nconst x: A<B> = f()\ndebugger\n</script>'),
    ("a.svelte", "<script>\n  $: { debugger; }\n</script>\n<p>debugger;</p>"),
    ("a.svelte", "<!-- a -- b -->\n<script>debugger;</script>"),
    ("a.jsx", "const a = <App />\ndebugger\nconst b = 1"),
    ("a.jsx", "const a = <p>x</p>;\ndebugger;"),
    ("a.js", "if (x) debugger;"),
    ("a.js", "if (x) { y() } else debugger;"),
    ("a.js", "switch (x) { case 1: debugger; }"),
    ("a.js", "const x = y\ndebugger\nf()"),
    ("a.js", "debugger;"),
    ("a.ts", "let x: Map<string>\ndebugger;"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), TEXT)
def test_the_word_debugger_in_markup_is_no_statement(make_source, path, text):
    assert list(leftovers.find(make_source(path, text))) == []


@pytest.mark.parametrize(("path", "text"), STATEMENT)
def test_a_debugger_statement_is_found(make_source, path, text):
    assert [hit.rule for hit in leftovers.find(make_source(path, text))] == ["debugger-left"]


SPOKEN = [
    ("a.yml", "description: Use curl -k to skip the check"),
    ("a.yml", "- name: why curl -k is forbidden"),
    ("a.yaml", "help: |\n  Never run curl -k\n  against production."),
    ("a.yml", "note: >-\n    first line\n    then curl -k there"),
    ("a.yml", "- run: echo 'do not use curl -k'"),
    ("Dockerfile", 'RUN echo "instead of curl -k"'),
    ("Makefile", "help:\n\t@echo curl -k"),
    ("a.sh", "echo never wget --no-check-certificate x"),
    ("a.sh", "printf %s Use\\ curl -k"),
    ("a.yml", "text: call git -c http.sslVerify=false"),
    ("a.yml", "  - like curl --insecure does"),
]  # fmt: skip
RUN = [
    ("a.yml", "- run: curl -k https://x"),
    ("a.yml", "- run: |\n    echo start\n    curl -k https://x"),
    ("a.yml", "script:\n  - if curl -k https://x; then y; fi"),
    ("a.yml", "- name: fetch\n  run: curl -k https://x"),
    ("a.yml", "- run: echo x | curl -k -d @- https://x"),
    ("a.yml", "- run: echo $(curl -k https://x)"),
    ("Dockerfile", "RUN set -e && curl -k https://x"),
    ("Makefile", "get:\n\t@curl -k https://x"),
    ("a.sh", "sudo curl -k https://x"),
    ("a.sh", "echo start; curl -k https://x"),
    ("a.sh", 'x="$(curl -k https://x)"'),
    ("a.sh", "retry 3 curl -k https://x"),
    ("a.sh", "docker exec web curl -k https://x"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), SPOKEN)
def test_a_command_that_is_only_spoken_of_is_no_defect(make_source, path, text):
    assert list(tls.find(make_source(path, text))) == []


@pytest.mark.parametrize(("path", "text"), RUN)
def test_a_command_that_runs_is_one(make_source, path, text):
    assert len(list(tls.find(make_source(path, text)))) == 1


GO = "cfg.InsecureSkipVerify = true"


@pytest.mark.parametrize(
    "path",
    [
        "client_test.go",
        "internal/testdata/x.go",
        "tests/client.go",
        "e2e/run.go",
        "integration/tls.go",
        "t/a.go",
    ],
)
def test_a_test_talks_to_its_own_server(make_source, path):
    assert list(tls.find(make_source(path, GO))) == []


@pytest.mark.parametrize(
    "path", ["client.go", "latest/client.go", "contest.go", "src/attest.go", "testing.go"]
)
def test_what_is_no_test_by_name_is_checked(make_source, path):
    assert len(list(tls.find(make_source(path, GO)))) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{GO}\ncfg.VerifyPeerCertificate = pinned", 0),
        ("c := &tls.Config{\n\tInsecureSkipVerify: true,\n\tVerifyConnection: check,\n}", 0),
        (f"cfg.VerifyConnection = check\n{GO}", 0),
        (f"{GO}\n// cfg.VerifyPeerCertificate = pinned", 1),
        (GO + "\n" * 30 + "cfg.VerifyPeerCertificate = pinned", 1),
    ],
)
def test_a_connection_that_is_verified_otherwise_is_no_defect(make_source, text, count):
    assert len(list(tls.find(make_source("a.go", text)))) == count


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("a.py", "import ssl\nif options.insecure:\n    ctx.check_hostname = False\n", 0),
        ("a.py", "import ssl\nif not self.verify:\n    x = 1\n    ctx.check_hostname = False\n", 0),
        ("a.js", "if (argv.insecure) {\n  agent.rejectUnauthorized = false\n}", 0),
        ("a.go", "if cfg.SkipTLSVerify {\n\tt.InsecureSkipVerify = true\n}", 0),
        ("a.py", "import ssl\nif options.verify:\n    ctx.check_hostname = False\n", 1),
        ("a.py", "import ssl\nif debug:\n    ctx.check_hostname = False\n", 1),
        ("a.py", "import ssl\nif options.insecure:\n    warn()\nctx.check_hostname = False\n", 1),
        ("a.js", "if (production) {\n  agent.rejectUnauthorized = false\n}", 1),
    ],
)
def test_a_branch_that_the_user_s_own_option_opens_is_no_defect(make_source, path, text, count):
    assert len(list(tls.find(make_source(path, text)))) == count


@pytest.mark.parametrize(
    "piece", ["curl -k ", "curl -k x; ", "\n curl -k", "echo curl -k ", "note: curl -k\n"]
)
def test_many_matches_take_linear_time(make_source, piece):
    assert_linear(lambda text: list(tls.find(make_source("a.yml", text))), piece)
