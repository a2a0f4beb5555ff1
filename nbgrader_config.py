"""The course's configuration. nbgrader and autograder both read this file, nothing else.

It is loaded more than once in one process, so every setting is assigned and never appended to.
"""

import os
import sys

COURSE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.dirname(sys.executable)

# formgrader's server does not put the course on sys.path, where the package lies in a fresh clone
if COURSE not in sys.path:
    sys.path.insert(0, COURSE)

# nbgrader starts `alembic` by its name when it first opens a gradebook: let it find its own
if os.environ.get("PATH", "").split(os.pathsep)[0] != BIN:
    os.environ["PATH"] = os.pathsep.join(filter(None, [BIN, os.environ.get("PATH")]))

c = get_config()  # noqa: F821 - defined by the loader

c.CourseDirectory.course_id = "attention"

# -- releasing: what stands in place of a solution -------------------------------------------------

c.ClearSolutions.code_stub = {
    "python": '# YOUR CODE HERE\nraise NotImplementedError("Replace this line by your own code.")'
}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"

# -- grading: the laws take the place of test cells run beside the student's code ------------------

STOCK = "nbgrader.preprocessors."
OURS = "autograder.nbgrader_plugin."

c.Autograde.exporter_class = OURS + "exporters.SubmissionExporter"
c.Autograde.sanitize_preprocessors = [
    STOCK + "ClearOutput",
    OURS + "rebuild.Rebuild",
    STOCK + "OverwriteKernelspec",
    STOCK + "OverwriteCells",
    STOCK + "CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    OURS + "execute.PropertyGrader",
    STOCK + "LimitOutput",
    OURS + "save_grades.SaveGrades",
    OURS + "lateness.LatePenalties",
    STOCK + "CheckCellMetadata",
]
c.GenerateFeedback.preprocessors = [
    STOCK + "GetGrades",
    OURS + "feedback.RedactFeedback",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
# formgrader's page, where nbgrader shows the names of students as they stand
c.HTMLExporter.preprocessors = [OURS + "formgrader.EscapeNames"]

# -- settings of the property grader, with their defaults; times in seconds, memory in MiB ---------
# A limit that is None is the one of the assignment.

# c.PropertyGrader.seed = None  # None: the secret seed kept under .autograder/
# c.PropertyGrader.cases = 12  # cases drawn for each law
# c.PropertyGrader.time_limit = None  # one case of a law
# c.PropertyGrader.cell_time_limit = None  # one cell of the notebook
# c.PropertyGrader.total_time_limit = None  # one submission
# c.PropertyGrader.memory_limit = None  # one worker, beside what NumPy and IPython take
# c.PropertyGrader.sandbox = "auto"  # auto, bubblewrap, landlock, rlimit or none
# c.PropertyGrader.round_to = 0.01  # the step that an exercise's score is rounded up to
# c.PropertyGrader.shrink_evaluations = 200  # cases tried to make a counterexample small
