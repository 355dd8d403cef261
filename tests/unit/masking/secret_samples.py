"""Sample secrets by rule, put together at run time so that no scanner takes this file for a leak."""

import random
import string

RANDOM = random.Random(7)
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def some(count, alphabet=LETTERS):
    return "".join(RANDOM.choices(alphabet, k=count))


KEYS = {
    "secret-aws": ["AKIA" + some(16, UPPER), "ASIA" + some(16, UPPER)],
    "secret-azure-storage": ["AccountKey=" + some(86) + "=="],
    "secret-discord": ["M" + some(23) + "." + some(6) + "." + some(27)],
    "secret-github": [
        "ghp_" + some(36),
        "ghs_" + some(80),
        "ghs_12345_eyJ" + some(30) + "." + some(200) + "." + some(342),
        "github_pat_" + some(22) + "_" + some(59),
    ],
    "secret-gitlab": ["glpat-" + some(20)],
    "secret-mailchimp": [some(32, HEX) + "-us21"],
    "secret-npm": ["npm_" + some(36)],
    "secret-openai": ["sk-proj-" + some(20) + "T3BlbkFJ" + some(20)],
    "secret-anthropic": ["sk-ant-" + "api03-" + some(93) + "AA"],
    "secret-huggingface": ["hf_" + some(34)],
    "secret-pypi": ["pypi-AgEIcHlwaS5vcmc" + some(80)],
    "secret-sendgrid": ["SG." + some(22) + "." + some(43)],
    "secret-slack": ["xoxb-" + some(12, string.digits) + "-" + some(24, string.ascii_lowercase)],
    "secret-square": ["sq0csp-" + some(43)],
    "secret-stripe": ["sk_live_" + some(24), "rk_live_" + some(99)],
    "secret-telegram": [some(9, "123456789") + ":" + some(35)],
}
CASES = [(rule, key) for rule, keys in KEYS.items() for key in keys]
AWS = KEYS["secret-aws"][0]
HEADER = "-----BEGIN RSA " + "PRIVATE KEY-----"
BODY = [some(64) for _ in range(3)]
