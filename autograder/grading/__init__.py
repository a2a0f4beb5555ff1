"""The engine: draw a corpus, check a submission, score it. Knows records, no exercise."""
