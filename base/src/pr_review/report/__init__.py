"""Reports: pure functions of one Outcome, and the hostile ground they are written to."""
