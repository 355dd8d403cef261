"""Reviews a pull request inside GitHub Actions and writes only what it can prove."""

__version__ = "0.1.0"
