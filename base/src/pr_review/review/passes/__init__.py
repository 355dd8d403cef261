"""What a review asks a model beyond finding."""
