# The image of the action. GitHub's runner needs root, no WORKDIR, and an entrypoint in exec form with an absolute path,
# because a shell would drop INPUT_* names with dashes. docs/image.md lists what takes how much space.

FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285 AS build

# Only wheels are installed, with the exact hashes of the lock file. Byte code is compiled once, at build time. Python
# does not compare it with time stamps, so nothing is compiled or checked at start.
COPY requirements/build.txt requirements/runtime.txt /src/requirements/
RUN python3 -m venv --without-pip /build \
 && python3 -m venv --without-pip /opt/pr-review \
 && pip --python /build/bin/python --no-cache-dir install --quiet \
      --only-binary=:all: --require-hashes --requirement /src/requirements/build.txt \
 && pip --python /opt/pr-review/bin/python --no-cache-dir install --quiet --no-compile \
      --only-binary=:all: --require-hashes --requirement /src/requirements/runtime.txt \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/pr-review/lib

COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN pip --python /build/bin/python --no-cache-dir wheel --quiet \
      --no-index --no-deps --no-build-isolation --wheel-dir /dist /src \
 && pip --python /opt/pr-review/bin/python --no-cache-dir install --quiet --no-compile \
      --no-index --no-deps /dist/*.whl \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/pr-review/lib/python3*/site-packages/pr_review


FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285

LABEL org.opencontainers.image.title="pr-review" \
      org.opencontainers.image.description="Reviews a pull request inside GitHub Actions and writes only what it can prove; it posts nothing." \
      org.opencontainers.image.licenses="Apache-2.0"

# Install git without the parts that pr-review never starts: Perl's library, documentation, servers and mail.
# hadolint ignore=DL3008
RUN printf 'path-exclude=%s\n' \
      '/usr/lib/*/perl/*' '/usr/lib/*/libperl.so*' '/usr/share/perl/*' '/usr/share/perl5/*' \
      '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/locale/*' '/usr/share/gitweb/*' \
      '/usr/bin/scalar' '/usr/bin/git-shell' '/usr/lib/git-core/scalar' '/usr/lib/git-core/git-shell' \
      '/usr/lib/git-core/git-daemon' '/usr/lib/git-core/git-imap-send' '/usr/lib/git-core/git-http-*' \
      '/usr/lib/git-core/git-sh-i18n--envsubst' >/etc/dpkg/dpkg.cfg.d/pr-review \
 && apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends git >/dev/null \
 && rm -rf /etc/dpkg/dpkg.cfg.d/pr-review /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/*

# The base image has no byte code for the standard library, so each start would compile what it imports.
RUN python3 -B -m compileall -q -f --invalidation-mode unchecked-hash \
      -x '/(site-packages|dist-packages|test|idlelib|lib2to3|tkinter|turtledemo|ensurepip)/' \
      "$(python3 -B -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"

COPY --from=build /opt/pr-review /opt/pr-review

# With -I, neither the workflow's PYTHON* variables nor modules in the checkout affect what is imported.
ENTRYPOINT ["/opt/pr-review/bin/python", "-I", "-B", "-m", "pr_review", "action"]
