import time

import pytest

from pr_review.checks import tls

REQUESTS = "import requests\n"

FOUND = [
    ("a.py", REQUESTS + "requests.get(u, verify=False)", 2),
    ("a.py", "import os, httpx\nc = httpx.Client(\n    verify=False,\n)", 3),
    ("a.py", "from aiohttp import x\nx(verify_ssl=False)", 2),
    ("a.py", REQUESTS + "session.verify = False", 2),
    ("a.py", "ctx = ssl._create_unverified_context()", 1),
    ("a.py", "ssl._create_default_https_context = ssl._create_unverified_context\n", 1),
    ("a.py", "ctx.verify_mode = ssl.CERT_NONE", 1),
    ("a.py", "pool(cert_reqs='CERT_NONE')", 1),
    ("a.py", "ctx.check_hostname = False", 1),
    ("a.js", "https.request({ rejectUnauthorized: false })", 1),
    ("a.ts", "const o = { 'rejectUnauthorized': false };", 1),
    ("a.js", "agent.options.rejectUnauthorized = false;", 1),
    ("a.js", "request({ strictSSL: false })", 1),
    ("a.js", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';", 1),
    ("a.js", 'process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = 0;', 1),
    ("a.go", "&tls.Config{InsecureSkipVerify: true}", 1),
    ("a.go", "config.InsecureSkipVerify = true", 1),
    ("a.rs", "builder.danger_accept_invalid_certs(true)", 1),
    ("a.rb", "http.verify_mode = OpenSSL::SSL::VERIFY_NONE", 1),
    ("a.rb", "start(host, verify_mode: OpenSSL::SSL::VERIFY_NONE)", 1),
    ("a.rb", "o = { :verify_mode => OpenSSL::SSL::VERIFY_NONE }", 1),
    ("a.php", "curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);", 1),
    ("a.php", "[CURLOPT_SSL_VERIFYHOST => 0]", 1),
    ("a.java", "b.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);", 1),
    ("a.cs", "h.Callback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator;", 1),
    ("a.sh", "curl -k https://x", 1),
    ("a.sh", "curl -fsSLk https://x", 1),
    ("a.sh", "curl https://x --insecure", 1),
    ("a.sh", 'if curl -s "https://x?a=1&b=2" -k; then', 1),
    ("a.sh", "curl https://x \\\n  -H 'a: b' \\\n  --insecure", 3),
    ("a.sh", "curl https://x \\\n-k", 2),
    ("a.sh", 't="$(curl -sk "$u")"', 1),
    ("a.sh", "wget -q --no-check-certificate https://x", 1),
    ("a.sh", "kubectl --insecure-skip-tls-verify=true get pods", 1),
    ("a.sh", "helm upgrade --insecure-skip-tls-verify x", 1),
    ("a.sh", "git -c http.sslVerify=false clone u", 1),
    ("a.sh", "git config --global http.sslVerify false", 1),
    ("a.sh", "npm config set strict-ssl false", 1),
    ("a.sh", 'export GIT_SSL_NO_VERIFY="1"', 1),
    ("a.sh", "NODE_TLS_REJECT_UNAUTHORIZED=0 node x.js", 1),
    ("Dockerfile", "ENV NODE_TLS_REJECT_UNAUTHORIZED=0", 1),
    ("Dockerfile", "RUN curl -k https://x | sh", 1),
    ("ci.yml", "env:\n  GIT_SSL_NO_VERIFY: 'true'", 2),
    ("ci.yml", "  - run: curl -k https://x", 1),
    (".env", "PYTHONHTTPSVERIFY=0", 1),
]  # fmt: skip

CLEAN = [
    ("a.py", REQUESTS + "requests.get(u, verify=True)"),
    ("a.py", REQUESTS + "# verify=False"),
    ("a.py", REQUESTS + "x = 'verify=False'"),
    ("a.py", "model.save(verify=False)"),
    ("a.py", REQUESTS + "if verify == False: pass"),
    ("a.py", "if ctx.verify_mode == ssl.CERT_NONE: pass"),
    ("a.py", "ctx.verify_mode = ssl.CERT_REQUIRED"),
    ("a.py", "def _create_unverified_context_name(): pass"),
    ("a.js", "https.request({ rejectUnauthorized: true })"),
    ("a.js", "const m = 'rejectUnauthorized: false';"),
    ("a.js", "x = secure ? options.rejectUnauthorized : false"),
    ("a.js", "if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {}"),
    ("a.js", "const m = 'process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0';"),
    ("a.go", "// InsecureSkipVerify: true"),
    ("a.go", "InsecureSkipVerify: insecure"),
    ("a.go", "s := `InsecureSkipVerify: true`"),
    ("a.rb", "raise if mode == OpenSSL::SSL::VERIFY_NONE"),
    ("a.php", "curl_setopt($c, CURLOPT_SSL_VERIFYPEER, true);"),
    ("a.sh", "# curl -k https://x"),
    ("a.sh", "echo 'curl -k'"),
    ("a.sh", "curl https://x; grep -k y"),
    ("a.sh", "curl https://x | sort -k 2"),
    ("a.sh", "curl https://x && tar -k"),
    ("a.sh", "curl -o k https://x"),
    ("a.sh", "curl --keepalive-time 2 https://x"),
    ("a.sh", "curl https://x -okfile"),
    ("a.sh", "curl https://x\n-k"),
    ("a.sh", "cat <<EOF\ncurl -k x\nEOF"),
    ("a.sh", "kubectl --insecure-skip-tls-verify=false get pods"),
    ("a.sh", "git config http.sslVerify true"),
    ("a.sh", "GIT_SSL_NO_VERIFY=0"),
    ("a.sh", "NODE_TLS_REJECT_UNAUTHORIZED=1"),
    ("a.md", "curl -k https://x"),
    ("ci.yml", "# curl -k"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "line"), FOUND)
def test_verification_off_is_found_where_it_stands(make_source, path, text, line):
    assert [(hit.line, hit.rule) for hit in tls.find(make_source(path, text))] == [
        (line, "tls-verification-off")
    ]


@pytest.mark.parametrize(("path", "text"), CLEAN)
def test_what_only_looks_like_it_is_not_reported(make_source, path, text):
    assert list(tls.find(make_source(path, text))) == []


def test_the_two_lines_that_python_needs_are_one_hit(make_source):
    text = "ctx.check_hostname = False\nctx.verify_mode = ssl.CERT_NONE\nother.verify_mode = ssl.CERT_NONE"
    assert [hit.line for hit in tls.find(make_source("a.py", text))] == [1, 3]


def test_an_old_one_is_not_reported(make_source):
    assert list(tls.find(make_source("a.sh", "curl -k x\ny", added=[2]))) == []


def test_every_pattern_has_a_case():
    for entry in tls.TABLE:
        assert any(entry.pattern.search(text) for _, text, _ in FOUND)


@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("a.sh", "curl "),
        ("a.sh", "git -c "),
        ("a.py", "check_hostname=False "),
        ("a.py", "import requests "),
        ("a.js", "strictSSL \t"),
        ("a.yml", "PYTHONHTTPSVERIFY: "),
    ],
)
def test_a_line_of_one_mebibyte_takes_linear_time(make_source, path, piece):
    started = time.process_time()
    list(tls.find(make_source(path, piece * (2**20 // len(piece)))))
    assert time.process_time() - started < 15  # measured: at most 1 s; a quadratic pattern takes minutes
