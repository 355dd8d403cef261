#!/bin/sh
set -eu
# curl -k would hide an expired certificate; do not use it here.
curl --fail --silent "https://deploy.example/api/release"
curl --fail --silent --output key.txt "https://deploy.example/api/key"
curl --fail --silent \
  --insecure \
  "https://deploy.example/api/restart"
echo "done; never call this with --insecure"
