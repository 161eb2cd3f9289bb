import threading

import pytest

from wordrbm.training.crew import Crew


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("pieces", [1, 2, 9])
def test_results_come_in_the_order_of_the_pieces(threads, pieces):
    with Crew(threads) as crew:
        for _ in range(3):
            assert crew.each(pieces, lambda piece: piece * piece) == [k * k for k in range(pieces)]


def test_one_thread_works_in_the_calling_thread():
    with Crew(1) as crew:
        assert set(crew.each(5, lambda _: threading.get_ident())) == {threading.get_ident()}


def test_pieces_run_at_once():
    meeting = threading.Barrier(3, timeout=30)
    with Crew(3) as crew:
        crew.each(3, lambda _: meeting.wait())  # would time out if one waited for another


@pytest.mark.parametrize("bad", [0, 3])
def test_the_first_fault_is_raised_when_all_have_stopped(bad):
    def work(piece):
        if piece == bad:
            raise ValueError("no")

    with Crew(2) as crew, pytest.raises(ValueError, match="no"):
        crew.each(4, work)
