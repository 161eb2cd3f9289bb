"""Text files to a prepared corpus: parallel, streaming, resumable; see `pipeline.py`."""
