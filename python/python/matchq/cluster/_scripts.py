"""Scripts for Slurm and manifests for Kubernetes, which run the parts of a command without Ray."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from matchq._tools import Failure
from matchq.cluster import _files
from matchq.cluster._series import check_flags, check_outputs, outputs

# Most tasks of an array in Slurm's usual configuration (MaxArraySize).
LARGEST_ARRAY = 1_000

# Exit code 75 asks for another try. A job that is requeued is killed, for which it waits.
ARRAY = """\
#!/bin/bash
#SBATCH --job-name=matchq
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
cd {here} || exit 2
{program} {shard} --of {of} --out {out} --threads "${{SLURM_CPUS_PER_TASK:-{threads}}}"
code=$?
if [ "$code" -eq 75 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {again} ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}" && sleep 60
fi
exit "$code"
"""

MERGE = """\
#!/bin/bash
#SBATCH --job-name=matchq-merge
#SBATCH --ntasks=1
cd {here} || exit 2
exec {program} {merge}
"""

JOB = """\
# Parts of a command of matchq, each in a pod. Texts in quotes are JSON.
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {of}
  parallelism: {of}
  backoffLimitPerIndex: {again}
  maxFailedIndexes: {of}
  podFailurePolicy:
    rules:
      # A wrong command stays wrong.
      - action: FailIndex
        onExitCodes:
          operator: In
          values: [2]
      # A pod that had to make room is no failure.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
      # Exit code 75 asks for another try.
      - action: Count
        onExitCodes:
          operator: In
          values: [75]
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: matchq
          image: {image}
          command: {command}
          workingDir: /work
          resources:
            requests:
              cpu: "{threads}"
          volumeMounts:
            - name: work
              mountPath: /work
      volumes:
        - name: work
          persistentVolumeClaim:
            claimName: {claim}
"""

MERGE_JOB = """\
# The report of all parts.
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}-merge
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: matchq
          image: {image}
          command: {command}
          workingDir: /work
          volumeMounts:
            - name: work
              mountPath: /work
      volumes:
        - name: work
          persistentVolumeClaim:
            claimName: {claim}
"""


def run(arguments: argparse.Namespace) -> int:
    """Writes the files of an engine and prints how to submit them."""
    flag = "--slurm" if arguments.slurm else "--kubernetes"
    if arguments.shards is None:
        raise Failure(f"--shards: {flag} needs a number of parts, such as 100: 10 to 60 seconds for each are good")
    check_flags(arguments.flags)
    check_outputs(arguments)
    flag, default = ("--sequences", 64) if arguments.command == "endure" else ("--games", 1000)
    count = str(_files.value_of(arguments.flags, flag, default))
    if count.isdigit() and int(count) < arguments.shards:
        raise Failure(f"--shards {arguments.shards}: {flag} {count} can have at most {count} parts")
    out = Path(arguments.out)
    # A file of an agent is found by all machines only below the folder that they share.
    _files.needed(arguments.flags)
    if arguments.kubernetes and (out.is_absolute() or ".." in out.parts):
        raise Failure(f"--out {out}: pods have the volume alone: give a path relative to it, such as results/mine")
    _files.make_folder("--out", out)
    return slurm(out, arguments) if arguments.slurm else kubernetes(out, arguments)


def merge_of(arguments: argparse.Namespace) -> list[str]:
    """The command that puts the parts together."""
    return ["merge", arguments.out, *outputs(arguments)]


def slurm(out: Path, arguments: argparse.Namespace) -> int:
    """Writes an array's script and that of the merge."""
    if arguments.shards > LARGEST_ARRAY:
        raise Failure(
            f"--shards {arguments.shards}: by Slurm's usual MaxArraySize an array has at most {LARGEST_ARRAY} tasks: "
            "give fewer parts"
        )
    array, merge = out / "array.sh", out / "merge.sh"
    here, program = shlex.quote(str(Path.cwd())), shlex.quote(_files.program())
    script = ARRAY.format(
        last=arguments.shards - 1,
        of=arguments.shards,
        threads=arguments.threads_per_task,
        again=arguments.tries - 1,
        here=here,
        program=program,
        shard=shlex.join(["shard", arguments.command, *arguments.flags]),
        out=shlex.quote(arguments.out),
    )
    _files.write_aside(array, script.encode())
    _files.write_aside(merge, MERGE.format(here=here, program=program, merge=shlex.join(merge_of(arguments))).encode())
    logs = shlex.quote(str(out / "slurm-%A-%a.txt"))
    report = shlex.quote(str(out / "report.txt"))
    print(f"job=$(sbatch --parsable --output={logs} {shlex.quote(str(array))})")
    # After a part that failed, too: the merge names it, and does not wait for ever.
    print(f"sbatch --dependency=afterany:$job --output={report} {shlex.quote(str(merge))}")
    return 0


def kubernetes(out: Path, arguments: argparse.Namespace) -> int:
    """Writes the manifests of an indexed job and of the merge."""
    job, merge = out / "job.yaml", out / "merge.yaml"
    where = ["--of", str(arguments.shards), "--out", arguments.out, "--threads", str(arguments.threads_per_task)]

    def text(words: Sequence[str]) -> str:
        return json.dumps(["matchq", *words])

    words = ["shard", arguments.command, *arguments.flags, *where]
    shard = text(words)
    # A finished job of another command keeps its name.
    name = "matchq-" + hashlib.sha256(shard.encode()).hexdigest()[:8]
    same = {"name": name, "image": json.dumps(arguments.kubernetes), "claim": json.dumps(arguments.claim)}
    numbers = {"of": arguments.shards, "threads": arguments.threads_per_task, "again": arguments.tries - 1}
    _files.write_aside(job, JOB.format(command=shard, **numbers, **same).encode())
    _files.write_aside(merge, MERGE_JOB.format(command=text(merge_of(arguments)), **same).encode())
    print(f"kubectl apply -f {shlex.quote(str(job))}")
    # A job that failed never is complete: the merge names the part that is missing.
    ends = f"kubectl get job/{name} -o 'jsonpath={{.status.conditions[*].type}}' | grep -qwE 'Complete|Failed'"
    print(f"until {ends}; do sleep 10; done")
    print(f"kubectl apply -f {shlex.quote(str(merge))}")
    return 0
