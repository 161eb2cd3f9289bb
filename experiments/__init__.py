"""The paper's tables, with their baselines, written against the library; not installed."""
