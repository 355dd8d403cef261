"""Reviews a pull request inside GitHub Actions: findings at the code that they quote; it posts nothing."""

__version__ = "0.1.0"
