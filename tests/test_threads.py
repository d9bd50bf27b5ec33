"""one_thread: what it holds down, and that it gives it back."""

from threadpoolctl import threadpool_info, threadpool_limits

from consensa._threads import one_thread


def counts():
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


def test_every_library_has_one_thread_inside_and_what_it_had_outside():
    with threadpool_limits(limits=2):
        before = counts()
        assert max(before.values()) == 2
        for _ in range(2):  # the second time from what was found the first time
            with one_thread():
                assert set(counts().values()) == {1}
            assert counts() == before
