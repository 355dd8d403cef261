"""What a provider's refusal means."""
