"""A harvest that is killed at any moment: the next one completes it with the same result."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.harvest.hostile_oai import serving
from tests.harvest.small_oai import Library
from tests.harvest.test_hostile_oai import configured, fetch
from tests.harvest.test_oaipmh import titles

MOMENTS = int(os.environ.get("BIBLD_KILL_MOMENTS", "5"))
"""Number of moments at which a harvest is killed; 50 for the figure in RESULTS."""

CODE = """
import sys
from pathlib import Path
from bibld import config, harvest
from bibld.progress import Silent
loaded = config.load(Path(sys.argv[1]))
harvest.fetch_source(loaded, loaded.sources[0], Silent())
"""


@pytest.mark.server
def test_a_killed_harvest_is_completed_by_the_next_with_the_same_result(tmp_path):
    library = Library()
    for number in range(1, 300):
        library.put(number, f"Title {number}")
    library.clock += 3600

    most = 0
    was_killed = threading.Event()

    def change(request, answer):
        time.sleep(0.004)
        if len(server.requests) > most:  # a harvest that is faster than its killer waits for it here
            was_killed.wait()
        return library.answer(request)

    with serving(change) as server:
        randomness = random.Random(1)
        continued = 0
        for moment in range(MOMENTS):
            folder = tmp_path / str(moment)
            folder.mkdir()
            config = configured(folder, server.url)
            until = randomness.randrange(1, 70)
            server.requests.clear()
            was_killed.clear()
            most = until + 5
            process = subprocess.Popen([sys.executable, "-c", CODE, str(config.file)], cwd=Path(__file__).parents[2])
            while len(server.requests) < until:
                assert process.poll() is None
                time.sleep(0.001)
            time.sleep(randomness.uniform(0, 0.01))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            was_killed.set()
            asked = len([path for path in server.requests if "ListRecords" in path])
            server.requests.clear()
            result = fetch(config)
            assert (result.outcome, result.stored) == ("complete", 299), (moment, until, result)
            assert titles(config) == library.titles()
            again = len([path for path in server.requests if "ListRecords" in path])
            if 0 < asked < 75:
                assert asked + again <= 75 + 1  # one answer at most was asked for again
                continued += 1
        assert continued
