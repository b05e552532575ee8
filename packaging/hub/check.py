#!/usr/bin/env python3
"""Checks the alert rules and the dashboard of a hub against a NATS server that runs.

    python3 packaging/hub/check.py --nats nats-server

Parses both files (needs PyYAML), compares dashboard.json with what dashboard.py makes, and looks for each metric they name: for
`gnatsd_varz_NAME` the exporter takes the number NAME of the server's `/varz`, and for `jetstream_...` the number of `/jsz`
below. The server is one of its own, with a stream. What Prometheus and Grafana make of the files is not checked.
"""
import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

from dashboard import dashboard

HERE = os.path.dirname(os.path.abspath(__file__))
METRIC = re.compile(r"\b(?:gnatsd|jetstream)_\w+")
# The places of the exporter's metrics in `/jsz?streams=true&config=true`, by its collector/jsz.go.
SERVER = {"jetstream_server_total_message_bytes": ("bytes",), "jetstream_server_max_storage": ("config", "max_storage")}
STREAM = {"jetstream_stream_total_messages": "messages", "jetstream_stream_total_bytes": "bytes",
          "jetstream_stream_last_seq": "last_seq", "jetstream_stream_subject_count": "num_subjects"}


def named():
    """The queries of both files, by where they are."""
    with open(f"{HERE}/alerts.yml") as file:
        rules = [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    with open(f"{HERE}/dashboard.json") as file:
        told = json.load(file)
    if told != dashboard():
        raise SystemExit("dashboard.json is not what dashboard.py makes")
    out = {rule["alert"]: rule["expr"] for rule in rules}
    for it in told["panels"]:
        out[it["title"]] = " ".join(target["expr"] for target in it["targets"])
    return out


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def page(port, path):
    deadline = time.time() + 20
    while True:
        try:
            return json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5))
        except OSError:
            if time.time() > deadline:
                raise
            time.sleep(0.1)


def make_stream(port):
    """A stream with one message in it."""
    body = b'{"name":"TAFFRAIL_HUB_1_0_LOG","subjects":["taffrail_hub.1-0.log.>"]}'
    with socket.create_connection(("127.0.0.1", port)) as it:
        it.sendall(b'CONNECT {"verbose":false}\r\nSUB made 1\r\nPUB $JS.API.STREAM.CREATE.TAFFRAIL_HUB_1_0_LOG made %d\r\n%s\r\n'
                   % (len(body), body))
        while b"MSG made" not in it.recv(1 << 16):
            pass
        it.sendall(b"PUB taffrail_hub.1-0.log.team made 1\r\nx\r\n")
        while b"MSG made" not in it.recv(1 << 16):
            pass


def pages(program):
    """The three pages of a server that the exporter reads."""
    with tempfile.TemporaryDirectory(prefix="taffrail-check-") as folder:
        port, monitor = free_port(), free_port()
        server = subprocess.Popen([program, "-a", "127.0.0.1", "-p", str(port), "-m", str(monitor), "-js", "-sd", folder],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            page(monitor, "varz")
            make_stream(port)
            return page(monitor, "varz"), page(monitor, "jsz?streams=true&config=true"), page(monitor, "healthz")
        finally:
            server.terminate()
            server.wait()


def value(metric, varz, jsz, healthz):
    """What the exporter takes for a metric; `None` where the server says nothing of that name."""
    if metric == "gnatsd_healthz_status":
        return float(healthz["status"] != "ok")
    if metric.startswith("gnatsd_varz_"):
        return varz.get(metric.removeprefix("gnatsd_varz_"))
    if metric in STREAM:
        return jsz["account_details"][0]["stream_detail"][0]["state"].get(STREAM[metric])
    found = jsz
    for part in SERVER.get(metric, ("none",)):
        found = (found or {}).get(part)
    return found


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--nats", default=os.environ.get("NATS_SERVER_BIN", "nats-server"))
    queries, missing = named(), 0
    told = pages(words.parse_args().nats)
    for metric in sorted({it for query in queries.values() for it in METRIC.findall(query)}):
        now = value(metric, *told)
        missing += not isinstance(now, (int, float))
        print(f"{metric}: {now}")
    print(f"{len(queries)} rules and panels, {missing} metrics missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
