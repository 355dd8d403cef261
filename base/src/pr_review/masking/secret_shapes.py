"""The kinds of secrets that can be recognised by their shape alone, and the patterns that match them.

Entropy and keyword detection only guess, so they have no place here. The npm and OpenAI patterns of
detect-secrets take quadratic time on a hostile line, so the table has bounded patterns for these two instead.

The patterns of each shape with a ``plugin`` are copied without change from detect-secrets 1.5.0
(https://github.com/Yelp/detect-secrets), Copyright 2017-2018 Yelp Inc., licensed under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0). They are copied because importing detect-secrets also imports
requests, which takes longer than the rest of a masking run. A test compares them with the installed package.
"""

from dataclasses import dataclass

PRIVATE_KEY = "private-key"


@dataclass(frozen=True)
class Shape:
    """A kind of secret.

    ``code`` is the end of the rule's code, and ``label`` is the name that people read. ``plugin`` is the
    module and class below ``detect_secrets.plugins`` that ``patterns`` come from; it is empty for patterns of
    this project. A secret that is ``open_ended`` can be longer than its pattern. The length of every other
    secret is part of the proof, so a match inside a longer word is no secret.
    """

    code: str
    label: str
    patterns: tuple[str, ...]
    plugin: str = ""
    open_ended: bool = False


SHAPES = (
    Shape(
        "aws",
        "AWS access key",
        (
            r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}",
            r"(?i)aws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?[\'\"]([0-9a-zA-Z/+]{40})[\'\"]",
        ),
        plugin="aws.AWSKeyDetector",
    ),
    Shape(
        "azure-storage",
        "Azure storage account key",
        (r"AccountKey=[a-zA-Z0-9+\/=]{88}",),
        plugin="azure_storage_key.AzureStorageKeyDetector",
    ),
    Shape(
        "discord",
        "Discord bot token",
        (r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27}",),
        plugin="discord.DiscordBotTokenDetector",
    ),
    Shape(
        "github",
        "GitHub token",
        (r"(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{36}",),
        plugin="github_token.GitHubTokenDetector",
        open_ended=True,
    ),
    Shape(
        "github",
        "GitHub token",
        (
            r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
            # The token of a job since 2026: ghs_, the app's id and a JWT, which has three parts.
            r"ghs_[A-Za-z0-9_-]{8,200}(?:\.[A-Za-z0-9_-]{20,400}){2}",
        ),
    ),
    Shape(
        "gitlab",
        "GitLab token",
        (
            r"(glpat|gldt|glft|glsoat|glrt)-[A-Za-z0-9_\-]{20,50}(?!\w)",
            r"GR1348941[A-Za-z0-9_\-]{20,50}(?!\w)",
            r"glcbt-([0-9a-fA-F]{2}_)?[A-Za-z0-9_\-]{20,50}(?!\w)",
            r"glimt-[A-Za-z0-9_\-]{25}(?!\w)",
            r"glptt-[A-Za-z0-9_\-]{40}(?!\w)",
            r"glagent-[A-Za-z0-9_\-]{50,1024}(?!\w)",
            r"gloas-[A-Za-z0-9_\-]{64}(?!\w)",
        ),
        plugin="gitlab_token.GitLabTokenDetector",
    ),
    Shape(
        "mailchimp",
        "Mailchimp key",
        (r"[0-9a-z]{32}-us[0-9]{1,2}",),
        plugin="mailchimp.MailchimpDetector",
    ),
    Shape("npm", "npm token", (r"npm_[A-Za-z0-9]{36}",)),
    Shape("openai", "OpenAI key", (r"sk-[A-Za-z0-9_-]{0,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}",)),
    Shape("anthropic", "Anthropic key", (r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_-]{80,120}",)),
    Shape("huggingface", "Hugging Face token", (r"hf_[A-Za-z0-9]{34}",)),
    Shape(
        PRIVATE_KEY,
        "Private key",
        (
            r"BEGIN DSA PRIVATE KEY",
            r"BEGIN EC PRIVATE KEY",
            r"BEGIN OPENSSH PRIVATE KEY",
            r"BEGIN PGP PRIVATE KEY BLOCK",
            r"BEGIN PRIVATE KEY",
            r"BEGIN RSA PRIVATE KEY",
            r"BEGIN SSH2 ENCRYPTED PRIVATE KEY",
            r"PuTTY-User-Key-File-2",
        ),
        plugin="private_key.PrivateKeyDetector",
    ),
    Shape(
        "pypi",
        "PyPI token",
        (
            r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9-_]{70,}",
            r"pypi-AgENdGVzdC5weXBpLm9yZw[A-Za-z0-9-_]{70,}",
        ),
        plugin="pypi_token.PypiTokenDetector",
    ),
    Shape(
        "sendgrid",
        "SendGrid key",
        (r"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}",),
        plugin="sendgrid.SendGridDetector",
    ),
    Shape(
        "slack",
        "Slack token or webhook",
        (
            r"(?i)xox(?:a|b|p|o|s|r)-(?:\d+-)+[a-z0-9]+",
            r"(?ix)https://hooks\.slack\.com/services/T[a-zA-Z0-9_]+/B[a-zA-Z0-9_]+/[a-zA-Z0-9_]+",
        ),
        plugin="slack.SlackDetector",
    ),
    Shape(
        "square",
        "Square OAuth secret",
        (r"sq0csp-[0-9A-Za-z\\\-_]{43}",),
        plugin="square_oauth.SquareOAuthDetector",
    ),
    Shape(
        "stripe",
        "Stripe key",
        (r"(?:r|s)k_live_[0-9a-zA-Z]{24}",),
        plugin="stripe.StripeDetector",
        open_ended=True,
    ),
    Shape(
        "telegram",
        "Telegram bot token",
        (r"\d{8,10}:[0-9A-Za-z_-]{35}",),
        plugin="telegram_token.TelegramBotTokenDetector",
    ),
)
