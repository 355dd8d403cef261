"""What went wrong with a request to a provider, whatever its wire format."""
