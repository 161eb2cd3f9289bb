"""A local web page over a trained model: its words, texts, hidden units, health and samples."""
