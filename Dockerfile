# Grades a course where nothing on the machine itself isolates student code: macOS, Windows, an
# older Linux. The grader runs as an ordinary user, and each submission under Landlock and seccomp.
# docs/threat-model.md has the command.
FROM python:3.12-slim

# libseccomp2 compiles the filter of system calls
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libseccomp2 \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/attention-autograder
COPY requirements/run.txt requirements/
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY reference reference
COPY autograder autograder
RUN pip install --no-cache-dir --no-deps --no-build-isolation . \
 && useradd --create-home grader

USER grader
# writable whatever user `docker run --user` names
ENV HOME=/tmp
WORKDIR /course
ENTRYPOINT ["autograder"]
CMD ["doctor"]
