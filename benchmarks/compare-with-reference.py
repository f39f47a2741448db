#!/usr/bin/env python3
"""Runs the reference project's load tool against Galgo and against the reference server, in turn, and prints ratios.

usage: benchmarks/compare-with-reference.py [--pairs N] [--batches N] [--workload NAME]... [--data FOLDER]

GALGO_REFERENCE names the folder with iggy-server and iggy-bench. In each pair both servers run the same workload,
one after the other, each as a fresh process on an empty data directory; which of the two goes first alternates. Galgo
runs as ./galgo server of this checkout, with GALGO_DISK as it is set. Machines are noisy: trust ratios within one
run, not figures. CPU is the time that the server's process used, memory its peak.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Options before the kind, the kind with its options, and what has to have run before on the same server.
WORKLOADS = {
    "produce-1": (["-m", "1000", "-P", "1000"], ["pinned-producer", "-p", "1"], None),
    "produce-8": (["-m", "1000", "-P", "1000"], ["pinned-producer", "-p", "8"], None),
    "consume-1": (["-m", "1000", "-P", "1000"], ["pinned-consumer", "-c", "1"], "produce-1"),
    "consume-8": (["-m", "1000", "-P", "1000"], ["pinned-consumer", "-c", "8"], "produce-8"),
    "both-4": (["-m", "1000", "-P", "1000"], ["pinned-producer-and-consumer", "-p", "4", "-c", "4"], None),
    "single-small": (["-m", "100", "-P", "1"], ["pinned-producer", "-p", "1"], None),
}
DEFAULTS = ["produce-1", "consume-1", "produce-8", "consume-8", "both-4", "single-small"]
RESULT = re.compile(r"(\w+) Results: Total throughput: ([0-9.]+) MB/s, ([0-9]+) messages/s.*?p50 latency: ([0-9.]+) ms"
                    r".*?p99 latency: ([0-9.]+) ms")


class Server:
    def __init__(self, name, reference, folder):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix=f"{name}-", dir=folder)
        data = os.path.join(self.folder, "data")
        prefix = "IGGY_" if name == "reference" else "GALGO_"
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("IGGY_", "GALGO_")) or k in ("GALGO_JAVA_HOME", "GALGO_DISK", "GALGO_BUILD",
                                                                         "GALGO_JVM_OPTIONS")}
        environment.update({
            prefix + "ROOT_USERNAME": "iggy", prefix + "ROOT_PASSWORD": "iggy", prefix + "TCP_ADDRESS": "127.0.0.1:0",
            prefix + "PATH": data,
        })
        if name == "reference":
            environment.update({"IGGY_SYSTEM_PATH": data, "IGGY_HTTP_ENABLED": "false", "IGGY_QUIC_ENABLED": "false",
                                "IGGY_WEBSOCKET_ENABLED": "false"})
            command = [str(reference / "iggy-server")]
        else:
            command = [str(ROOT / "galgo"), "server"]
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=subprocess.STDOUT,
                                        stdin=subprocess.DEVNULL, start_new_session=True)
        self.address = self.await_address(os.path.join(data, "runtime", "current_config.toml"))

    def await_address(self, file):
        for _ in range(3000):
            if self.process.poll() is not None:
                break
            if os.path.exists(file):
                with open(file) as text:
                    found = re.search(r'^\[tcp\]\s*$.*?^address\s*=\s*["\'](.*?)["\']', text.read(), re.M | re.S)
                if found and not found.group(1).endswith(":0"):
                    return found.group(1)
            time.sleep(0.02)
        raise SystemExit(f"{self.name} did not start; its log is {self.log.name}")

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mebibytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmHWM:\s*(\d+)", status.read()).group(1)) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def bench(reference, server, workload, batches):
    options, kind, _ = WORKLOADS[workload]
    count = batches * 10 if "single" in workload else batches
    command = [str(reference / "iggy-bench"), *options, "-b", str(count), *kind, "tcp", "--server-address", server.address]
    before = server.cpu_seconds()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    spent = server.cpu_seconds() - before
    results = {m.group(1): m for m in RESULT.finditer(run.stdout)}
    if run.returncode != 0 or not results:
        raise SystemExit(f"{' '.join(command)} failed:\n{run.stdout[-3000:]}")
    values = {"CPU s": spent, "peak MiB": server.peak_mebibytes()}
    for group, match in results.items():
        if group != "Aggregate":
            values[f"{group} MB/s"] = float(match.group(2))
            values[f"{group} msg/s"] = float(match.group(3))
            values[f"{group} p50 ms"] = float(match.group(4))
            values[f"{group} p99 ms"] = float(match.group(5))
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--batches", type=int, default=1000, help="batches of each producer or consumer")
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="more than one may be given")
    parser.add_argument("--data", default=None, help="folder on the disk to measure; default: the temporary folder")
    arguments = parser.parse_args()
    if not os.environ.get("GALGO_REFERENCE"):
        raise SystemExit("GALGO_REFERENCE must name the folder with iggy-server and iggy-bench")
    reference = pathlib.Path(os.environ["GALGO_REFERENCE"]).resolve()
    workloads = arguments.workload or DEFAULTS
    measured = {}
    for pair in range(arguments.pairs):
        for workload in workloads:
            names = ["galgo", "reference"] if pair % 2 == 0 else ["reference", "galgo"]
            for name in names:
                server = Server(name, reference, arguments.data)
                try:
                    needed = WORKLOADS[workload][2]
                    if needed:
                        bench(reference, server, needed, arguments.batches)
                    values = bench(reference, server, workload, arguments.batches)
                finally:
                    server.stop()
                for what, value in values.items():
                    measured.setdefault((workload, what), {}).setdefault(name, []).append(value)
            print(f"pair {pair + 1} of {arguments.pairs}: {workload} done", file=sys.stderr)

    print(f"{'workload':14} {'figure':18} {'galgo':>11} {'reference':>11} {'ratio':>7} {'min':>7} {'max':>7}")
    for (workload, what), sides in measured.items():
        ratios = [ours / theirs for ours, theirs in zip(sides["galgo"], sides["reference"]) if theirs]
        if ratios:
            print(f"{workload:14} {what:18} {statistics.median(sides['galgo']):11.2f}"
                  f" {statistics.median(sides['reference']):11.2f} {statistics.median(ratios):7.2f}"
                  f" {min(ratios):7.2f} {max(ratios):7.2f}")
    print(f"\nmedians of {arguments.pairs} pairs; ratio is galgo / reference of one pair: median, smallest, largest")


if __name__ == "__main__":
    main()
