#!/usr/bin/env python3
"""Compares matchq with PyTorch on the CPU: an update of the Q-network, and its forward pass.

    python3 benches/pytorch.py

Both sides have the same network, weights, batch of 256 boards, loss and optimizer, which is checked before anything is
timed, and take turns within one run. PyTorch computes eagerly, channels last, in float32. Both are timed once more in
bfloat16, PyTorch by autocast, matchq by its own, which is not checked here. Without --python a virtual environment with
PyTorch 2.15.0 is made in target/pytorch: several gigabytes. Prints a table in Markdown; --json writes all.
"""

import argparse
import array
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PYTORCH = "2.15.0"
FORWARD = [64, 256, 1024]
ROWS, COLUMNS, PLANES, ACTIONS = 10, 8, 5, 142


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="a Python that has PyTorch, instead of a virtual environment of its own")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6, help="turns of each side")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a part is repeated in a turn")
    parser.add_argument("--shapes", default="32x5,64x7", help="channels x layers of the networks")
    parser.add_argument("--json", type=pathlib.Path, help="file for all that was measured")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def environment():
    """The Python of the script's own virtual environment, made if it is not there."""
    folder = REPOSITORY / "target" / "pytorch"
    python = folder / "bin" / "python"
    check = f"import torch; assert torch.__version__.split('+')[0] == '{PYTORCH}'"
    ready = python.exists() and subprocess.run([python, "-c", check], capture_output=True).returncode == 0
    if not ready:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", f"torch=={PYTORCH}"], check=True)
    return python


def benchmark():
    """The compiled benches/update.rs."""
    command = ["cargo", "bench", "--bench", "update", "--no-run", "--locked", "--message-format=json"]
    built = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return next(
        message["executable"]
        for message in messages
        if message.get("executable") and message["target"]["name"] == "update"
    )


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def work(channels, layers):
    """Useful floating-point operations of the convolutions for one board: of a forward pass, and of an update.

    A multiplication and an addition are two. The kernel's reach beyond the board counts, as is usual. An update is three
    times the forward pass, less the gradient of the network's input, which nothing asks for.
    """
    places = ROWS * COLUMNS
    stem = 2 * 9 * places * (PLANES + 1) * channels
    body = (layers - 1) * 2 * 9 * places * channels * channels
    head = 2 * places * (channels * channels + channels * 2) + 2 * channels * channels
    forward = stem + body + head
    return {"forward": forward, "update": 3 * forward - stem}


def inside(arguments):
    import torch
    from torch import nn
    from torch.nn import functional

    torch.set_num_threads(arguments.threads)

    class Network(nn.Module):
        """The network of crates/learners/src/network/q_network.rs; its parameters stand in the same order."""

        def __init__(self, channels, layers, actions):
            super().__init__()
            self.stem = nn.Conv2d(PLANES + 1, channels, 3, padding=1)
            self.body = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1) for _ in range(1, layers))
            self.summary = nn.Conv2d(channels, channels, 1)
            self.hidden = nn.Conv2d(channels, channels, 1)
            self.advantage = nn.Conv2d(channels, 2, 1)
            self.register_buffer("actions", actions)

        def forward(self, images, scalars):
            planes = scalars[:, :, None, None].expand(-1, -1, ROWS, COLUMNS)
            x = torch.cat([images, planes], 1).contiguous(memory_format=torch.channels_last)
            x = functional.relu(self.stem(x), inplace=True)
            for index, layer in enumerate(self.body):
                y = layer(x)
                if index == len(self.body) // 2:
                    y = y + self.summary(x.mean((2, 3), keepdim=True))
                x = x + functional.relu(y, inplace=True)
            y = self.advantage(functional.relu(self.hidden(x), inplace=True))
            return y.permute(0, 2, 3, 1).reshape(len(images), -1).index_select(1, self.actions)

    def read(folder, name):
        numbers = array.array("f")
        numbers.frombytes((folder / name).read_bytes())
        return torch.tensor(numbers)

    class Side:
        """PyTorch's side for one shape of the network."""

        def __init__(self, channels, layers, folder):
            self.network = Network(channels, layers, read(folder, "actions").long())
            weights, used = read(folder, "weights"), 0
            with torch.no_grad():
                for parameter in self.network.parameters():
                    parameter.copy_(weights[used : used + parameter.numel()].reshape(parameter.shape))
                    used += parameter.numel()
            self.parameters = used
            if used != len(weights):
                sys.exit(f"failed: PyTorch's network has {used} parameters, matchq's {len(weights)}")
            self.network.to(memory_format=torch.channels_last)
            self.images = read(folder, "images").reshape(-1, PLANES, ROWS, COLUMNS)
            self.images = self.images.contiguous(memory_format=torch.channels_last)
            self.scalars = read(folder, "scalars").reshape(-1, 1)
            self.targets = read(folder, "targets")
            self.places = read(folder, "places").long()
            # Its fused form is the fastest of PyTorch's on a CPU.
            self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3, eps=1e-8, fused=True)

        def update(self, half=False):
            self.optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                values = self.network(self.images, self.scalars).reshape(-1).index_select(0, self.places)
                loss = functional.huber_loss(values.float(), self.targets, delta=1.0)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(self.network.parameters(), 10.0)
            self.optimizer.step()
            return loss.item(), norm.item()

        def forward(self, size, half=False):
            repeats = -(-size // len(self.images))
            images = self.images.repeat(repeats, 1, 1, 1)[:size].contiguous(memory_format=torch.channels_last)
            scalars = self.scalars.repeat(repeats, 1)[:size]

            def forward():
                with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
                    return self.network(images, scalars)

            return forward

    def milliseconds(function, seconds):
        for _ in range(2):
            function()
        computed = time.process_time()
        times, begin = [], time.perf_counter()
        while not times or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            function()
            times.append((time.perf_counter() - start) * 1e3)
        return {"wall": times, "processor": (time.process_time() - computed) * 1e3 / len(times)}

    def close(what, rust, torch_):
        for ours, theirs in zip(rust, torch_, strict=True):
            if abs(ours - theirs) > 1e-3 * max(1.0, abs(ours)):
                sys.exit(f"failed: {what} of matchq is {ours}, of PyTorch {theirs}")

    executable = benchmark()

    def rust(channels, layers, seconds, *more):
        command = [executable, "--threads", arguments.threads, "--channels", channels, "--layers", layers]
        command += ["--seconds", seconds, *more]
        return json.loads(subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True).stdout)

    size = 2048
    left, right, product = torch.rand(size, size), torch.rand(size, size), torch.empty(size, size)
    result = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": arguments.threads,
        "pytorch": torch.__version__,
        "rounds": arguments.rounds,
        "load_before": os.getloadavg(),
        "product_size": size,
        "networks": [],
    }
    for shape in arguments.shapes.split(","):
        channels, layers = map(int, shape.split("x"))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            checked = rust(channels, layers, 0, "--only", "forward", "--folder", folder)
            side = Side(channels, layers, folder)
            assert side.parameters == checked["parameters"]
            with torch.inference_mode():
                values = side.network(side.images, side.scalars).reshape(-1)
            close("an action value", read(folder, "values").tolist(), values.tolist())
            losses, norms = zip(*(side.update() for _ in checked["losses"]))
            close("the loss of an update", checked["losses"], losses)
            close("the gradient's norm", checked["gradient_norms"], norms)

        rounds = []
        for _ in range(arguments.rounds):
            begin = os.getloadavg()[0]
            ours = rust(channels, layers, arguments.seconds)["milliseconds"]
            halved = rust(channels, layers, arguments.seconds, "--precision", "bf16")["milliseconds"]
            theirs = {}
            for name, half in [("pytorch", False), ("autocast", True)]:
                theirs[name] = {"update": milliseconds(lambda: side.update(half), arguments.seconds)}
                for batch in FORWARD:
                    theirs[name][f"forward {batch}"] = milliseconds(side.forward(batch, half), arguments.seconds)
            multiply = lambda: torch.mm(left, right, out=product)
            product_times = milliseconds(multiply, arguments.seconds / 2)
            rounds.append({"load": begin, "matchq": ours, "bf16": halved, **theirs, "product": product_times})
            print(f"{shape}, round {len(rounds)} of {arguments.rounds}", file=sys.stderr)
        network = {"channels": channels, "layers": layers, "parameters": side.parameters, "rounds": rounds}
        network |= {"targets": checked["targets"], "flop_per_board": work(channels, layers)}
        result["networks"].append(network)
    result["load_after"] = os.getloadavg()
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    print(report(result))


def report(result):
    """The tables."""
    size = result["product_size"]
    products = [one["product"] for network in result["networks"] for one in network["rounds"]]
    rate = lambda flop, milliseconds: f"{flop / milliseconds / 1e6:.0f}"
    lines = [
        f"{result['processor']}, {result['cores']} cores, {result['threads']} threads, PyTorch {result['pytorch']}; "
        f"load {result['load_before'][0]:.1f} before, {result['load_after'][0]:.1f} after. "
        f"A product of two float32 matrices of {size} x {size}: "
        f"{rate(2 * size**3, min(min(one['wall']) for one in products))} GFLOP/s, "
        f"{rate(2 * size**3, min(one['processor'] for one in products))} per second of processor time.",
    ]
    for network in result["networks"]:
        lines += [
            "",
            f"{network['channels']} channels, {network['layers']} layers, {network['parameters']} parameters:",
            "",
            "| | matchq ms: min, median | GFLOP/s | PyTorch ms: min, median | GFLOP/s | PyTorch / matchq: minima "
            "| of single rounds | of processor time | matchq bf16 ms: min, median | autocast ms: min, median "
            "| autocast / matchq bf16 |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        rounds = network["rounds"]
        for part in ["update", *(f"forward {batch}" for batch in FORWARD), "whole"]:
            boards = int(part.split()[1]) if " " in part else 256
            flop = boards * network["flop_per_board"]["forward" if " " in part else "update"]
            ours = [one["matchq"][part] for one in rounds]
            theirs = [one["pytorch"][part] for one in rounds if part in one["pytorch"]]

            def figures(turns):
                times = [time for turn in turns for time in turn["wall"]]
                return min(times), statistics.median(times), min(turn["processor"] or 0 for turn in turns)

            low, middle, computed = figures(ours)
            halved_low, halved_middle, _ = figures([one["bf16"][part] for one in rounds])
            halved = f"{halved_low:.1f}, {halved_middle:.1f}"
            name = {"update": "update of 256 boards", "whole": "the same with sampling and simulation"}.get(part)
            cells = [name or f"forward, {boards} boards", f"{low:.1f}, {middle:.1f}", rate(flop, low)]
            if theirs:
                their_low, their_middle, their_computed = figures(theirs)
                half_low, half_middle, _ = figures([one["autocast"][part] for one in rounds])
                single = [min(other["wall"]) / min(own["wall"]) for own, other in zip(ours, theirs)]
                cells += [
                    f"{their_low:.1f}, {their_middle:.1f}",
                    rate(flop, their_low),
                    f"**{their_low / low:.2f}**",
                    f"{min(single):.2f} to {max(single):.2f}",
                    f"{their_computed / computed:.2f}" if computed else "",
                    halved,
                    f"{half_low:.1f}, {half_middle:.1f}",
                    f"**{half_low / halved_low:.2f}**",
                ]
            else:
                cells += ["", "", "", "", "", halved, "", ""]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    arguments = parse()
    if arguments.inside:
        inside(arguments)
        return
    python = arguments.python or environment()
    variables = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads), MKL_NUM_THREADS=str(arguments.threads))
    sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], env=variables).returncode)


if __name__ == "__main__":
    main()
