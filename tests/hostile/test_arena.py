"""The arena sees what it is there to see: without a sandbox, every decoy is found out.

The decoys are harmless, so that they may run where nothing protects this machine. What one of
them leaves behind stays, so every decoy is told by words that fit no other.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from autograder.grader_process import Graded
from tests.hostile.arena import Arena, judged
from tests.hostile.attack import HONEST, HONEST_BESIDE, Attack, Json, in_call, in_cell
from tests.hostile.grader import Answer

FOUND = {
    "prints a secret": (
        in_cell("decoy", "-", "print(open(COURSE + '/secret.txt').read())"),
        "the secret in a file",
    ),
    "tells the seed": (
        in_call("decoy", "-", "raise ValueError(open(COURSE + '/.autograder/seeds').read())"),
        "the output holds the seed",
    ),
    "shouts": (in_call("decoy", "-", "won('it')"), "a cry of victory"),
    "changes a file": (
        in_cell("decoy", "-", "open(COURSE + '/secret.txt', 'a').write(' ')"),
        "secret.txt was changed",
    ),
    "changes only the time of a file": (
        in_cell("decoy", "-", "os.utime(COURSE + '/gradebook.db', (1, 1))"),
        "gradebook.db was changed",
    ),
    "adds a file": (in_cell("decoy", "-", "open(COURSE + '/new', 'w').close()"), "new appeared"),
    "drops a file": (
        in_cell("decoy", "-", "open('/tmp/' + BRAND, 'w').close()"),
        "was left lying about",
    ),
    "connects": (
        in_cell("decoy", "-", "socket.create_connection(TCP)"),
        "listener TCP was reached",
    ),
    "sends a datagram": (
        in_cell("decoy", "-", "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', UDP)"),
        "listener UDP was reached",
    ),
    "leaves a process": (
        in_cell(
            "decoy",
            "-",
            "subprocess.Popen(['sleep', '300'], start_new_session=True)",
        ),
        "processes were left",
    ),
    "slows the grader down": (
        in_cell("decoy", "-", "os.setpriority(os.PRIO_PROCESS, GRADER, 1)"),
        "the grader's nice changed",
    ),
    "kills the grader": (
        in_cell("decoy", "-", "os.kill(GRADER, 9)\ntime.sleep(0.5)"),
        "the grader ended with -9",
    ),
    "gains points": (
        Attack(name="decoy", sentence="-", sources={}, worth={"softmax": 9.5}),
        "softmax gained 10.0 points",
    ),
    "loses points": (
        in_cell("decoy", "-", "1", keeps=("softmax",)),
        "softmax lost points: 0.0",
    ),
    "can't be read": (
        Attack(name="decoy", sentence="-", raw=lambda data: b"{}", **HONEST_BESIDE),
        "the submission was refused",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared_arena() -> Iterator[Arena]:
    made = Arena("rlimit")
    yield made
    made.close()


@pytest.mark.parametrize("decoy", FOUND)
def test_what_an_attack_achieves_is_seen(decoy, shared_arena):
    attack, said = FOUND[decoy]
    _, wrong = shared_arena.fight(attack)
    assert any(said in text for text in wrong), wrong


def test_an_honest_submission_is_fine_and_is_the_same_every_time(shared_arena):
    shared_arena.tidy_up()
    assert shared_arena.fight(HONEST)[1] == []


def test_the_arena_is_whole_again_after_its_grader_was_killed(shared_arena):
    shared_arena.tidy_up()
    shared_arena.fight(FOUND["kills the grader"][0])
    assert shared_arena.fight(HONEST)[1] == []


def _outputs(graded: Graded) -> Json:
    made: Json = msgspec.json.decode(graded.notebook)
    return made


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"output_type": "display_data", "data": {"text/html": "x"}}, "an output shows"),
        ({"output_type": "stream", "text": "\x1b[31m"}, "control characters"),
        ({"output_type": "error", "evalue": "", "traceback": ["\u202e"]}, "control characters"),
        ({"output_type": "stream", "text": "x" * 300_000}, "the text of the notebook has"),
    ],
)
def test_an_output_that_nobody_should_open_is_seen(output, said, shared_arena):
    graded, _ = shared_arena.fight(HONEST)
    assert graded is not None
    made = _outputs(graded)
    made["cells"][2]["outputs"] = [output]
    changed = msgspec.structs.replace(graded, notebook=msgspec.json.encode(made))
    state = shared_arena.grader_state
    assert any(said in text for text in judged(HONEST, Answer(state, 0.0, changed)))


def test_a_comment_with_markup_and_a_slow_or_raising_grader_are_seen(shared_arena):
    graded, _ = shared_arena.fight(HONEST)
    assert graded is not None
    state = shared_arena.grader_state
    marked = msgspec.structs.replace(graded, comments={"softmax-solution": "<b>"})
    assert "a comment holds markup" in "".join(judged(HONEST, Answer(state, 0.0, marked)))
    assert "took 99 s" in "".join(judged(HONEST, Answer(state, 99.0, graded)))
    assert "grading raised E: x" in "".join(judged(HONEST, Answer(state, 0.0, None, "E: x")))
