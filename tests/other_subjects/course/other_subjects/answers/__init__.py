"""Known answers, wrong and right ones, by exercise."""
