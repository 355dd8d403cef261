"""What a finding is about: where it stands, what it duplicates, what an earlier review knew of it."""
