# SPDX-License-Identifier: Apache-2.0
"""What the programs that read files print."""

import pathlib

import pytest

WORDS = pathlib.Path("/usr/share/dict/words")


def urls(first, last):
    return "".join(f"https://example.org/{i}\n" for i in range(first, last))


def test_crawl_remembers_what_it_printed_in_an_earlier_run(use, tmp_path):
    seen = tmp_path / "seen.tamis"
    assert use("crawl", seen, text=urls(0, 3000)).stdout == urls(0, 3000)
    again = use("crawl", seen, text=urls(2000, 4000) + urls(2000, 4000))
    # One new URL in 10,000 may be taken for an old one.
    assert len(again.stdout.splitlines()) in range(995, 1001)
    assert set(again.stdout.splitlines()) <= set(urls(3000, 4000).splitlines())


def test_crawl_does_not_forget_by_a_damaged_file(use, tmp_path):
    seen = tmp_path / "seen.tamis"
    use("crawl", seen, text=urls(0, 10))
    damaged = bytearray(seen.read_bytes())
    damaged[100] ^= 1
    seen.write_bytes(damaged)
    with pytest.raises(Exception):
        use("crawl", seen, text=urls(0, 10))
    assert seen.read_bytes() == damaged


@pytest.mark.skipif(not WORDS.exists(), reason="no /usr/share/dict/words")
def test_spell_finds_words_that_are_in_no_list(use):
    text = "Teh quick brown fox can't jmup.\nTeh lazy dogs: 'quick' foxes\n"
    found = use("spell", WORDS, text=text)
    assert found.stdout.split() == ["Teh", "jmup"]
    size = int(found.stderr.split()[0])
    assert size < 2.2 * len(WORDS.read_bytes().splitlines())


def test_join_files_gives_what_a_join_gives(use, tmp_path):
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text("".join(f"k{i}\ts{i}\n" for i in range(0, 2000, 7)))
    large.write_text("".join(f"k{i}\tl{i}\n" for i in range(2000)) + "k0\tm\n")
    joined = use("join_files", small, large)
    assert sorted(joined.stdout.splitlines()) == sorted(
        [f"k{i}\ts{i}\tl{i}" for i in range(0, 2000, 7)] + ["k0\ts0\tm"])
    kept, lines = int(joined.stderr.split()[1]), int(joined.stderr.split()[3])
    assert lines == 2001
    assert 287 <= kept <= 307  # 1 of 128 others is a false positive
