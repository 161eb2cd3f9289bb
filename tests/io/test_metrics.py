from wordrbm.io.metrics import append_metrics, read_metrics, truncate_metrics


def test_lines_come_back_in_order(tmp_path):
    path = tmp_path / "metrics.jsonl"
    assert read_metrics(path) == []
    for step in (5, 10):
        append_metrics(path, {"step": step, "cloze_perplexity": 12.5})
    assert [record["step"] for record in read_metrics(path)] == [5, 10]


def test_a_line_cut_short_is_skipped(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 5}\n{"step": -1}\n[1]\n{"ste')
    assert read_metrics(path) == [{"step": 5}]


def test_truncation_keeps_the_bytes_of_earlier_steps(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append_metrics(path, {"step": 5, "x": 0.1})
    earlier = path.read_bytes()
    append_metrics(path, {"step": 10, "x": 0.2})
    truncate_metrics(path, 5)
    assert path.read_bytes() == earlier
