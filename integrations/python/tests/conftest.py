# SPDX-License-Identifier: Apache-2.0
import pytest

import tamis


@pytest.fixture
def store(tmp_path):
    with tamis.Store(tmp_path / "db", create_if_missing=True) as opened:
        yield opened
