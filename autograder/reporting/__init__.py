"""Results turned into what people read."""
