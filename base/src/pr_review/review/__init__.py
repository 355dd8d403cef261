"""The bounded review loop and the validation of everything a model says."""
