"""Keys of results: another configuration, seed, fold or document gives another one."""

import pytest
from experiments.sentiment.config import FoldJob, ModelConfig, fold_jobs, pretrain_key

from wordrbm.classification.classifier import CLASS_RATE

CONFIG = ModelConfig(3, 6, 5, 1, 6000, 6000, finetune_epochs=1)


@pytest.mark.parametrize(
    "change",
    [
        {"window": 2}, {"hidden": 7}, {"dimension": 6}, {"min_count": 2}, {"windows": 7000},
        {"pretrain_windows": 7000}, {"pretrain_unlabelled": True}, {"finetune_epochs": 2},
        {"pretrain_windows": 0}, {"finetune_epochs": 0}, {"without_frequent": 2},
    ],
)  # fmt: skip
def test_every_setting_is_in_the_key(data, change):
    job = FoldJob(CONFIG, 1, None)
    assert FoldJob(CONFIG._replace(**change), 1, None).key(data) != job.key(data)


def test_jobs_have_different_keys(data):
    jobs = [*fold_jobs(CONFIG, 1), *fold_jobs(CONFIG, 2)]
    assert [job.fold for job in jobs[:4]] == [None, 0, 1, 2]
    assert len({job.key(data).digest for job in jobs}) == len(jobs)
    assert len({job.key(data).stem for job in jobs}) == len(jobs)


def test_keys_follow_the_documents_that_are_used(data):
    job, other = FoldJob(CONFIG, 1, None), data._replace(digest="other")
    assert job.key(data) != job.key(other)
    assert pretrain_key(CONFIG, 1, data) != pretrain_key(CONFIG, 1, other)
    unlabelled = data._replace(unlabelled_digest="other")
    assert job.key(data) == job.key(unlabelled)
    config = CONFIG._replace(pretrain_unlabelled=True)
    assert pretrain_key(config, 1, data) != pretrain_key(config, 1, unlabelled)


def test_fine_tuning_does_not_change_the_initial_model(data):
    config = CONFIG._replace(finetune_epochs=0)
    assert pretrain_key(CONFIG, 1, data) == pretrain_key(config, 1, data)


def test_rates_are_lower_after_pretraining():
    usual = CONFIG._replace(pretrain_windows=0).class_settings(1)
    assert CONFIG.class_settings(1).word_rate == usual.word_rate * CLASS_RATE < usual.word_rate
    assert CONFIG.pretrain_settings(1).word_rate == usual.word_rate
