"""What every report says in words: plain, unescaped text. Each format escapes it."""
