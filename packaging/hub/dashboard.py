#!/usr/bin/env python3
"""Makes dashboard.json, the Grafana dashboard of a hub, from the table below: python3 packaging/hub/dashboard.py > packaging/hub/dashboard.json"""
import json

OURS = '{stream_name=~"TAFFRAIL_.*"}'
# A title, a unit of Grafana, the queries with their legends.
PANELS = [
    ("Healthy servers", "none", [("count(gnatsd_healthz_status == 0)", "healthy")]),
    ("Connections", "none", [("gnatsd_varz_connections", "{{server_id}}")]),
    ("Messages a second", "none", [("rate(gnatsd_varz_in_msgs[5m])", "in {{server_id}}"),
                                   ("rate(gnatsd_varz_out_msgs[5m])", "out {{server_id}}")]),
    ("Bytes a second", "Bps", [("rate(gnatsd_varz_in_bytes[5m])", "in {{server_id}}"),
                               ("rate(gnatsd_varz_out_bytes[5m])", "out {{server_id}}")]),
    ("Processor, percent of a core", "percent", [("gnatsd_varz_cpu", "{{server_id}}")]),
    ("Memory", "bytes", [("gnatsd_varz_mem", "{{server_id}}")]),
    ("Stored, and the limit", "bytes", [("jetstream_server_total_message_bytes", "{{server_name}}"),
                                        ("jetstream_server_max_storage > 0", "limit {{server_name}}")]),
    ("Stored by stream", "bytes", [(f"max by (stream_name) (jetstream_stream_total_bytes{OURS})", "{{stream_name}}")]),
    ("Entries a minute by stream", "none",
     [(f"60 * max by (stream_name) (rate(jetstream_stream_last_seq{OURS}[5m]))", "{{stream_name}}")]),
    ("Entries between the first and the last copy", "none",
     [(f"max by (stream_name) (jetstream_stream_last_seq{OURS}) - min by (stream_name) (jetstream_stream_last_seq{OURS})",
       "{{stream_name}}")]),
    ("Logs, keys and blobs by stream", "none",
     [(f"max by (stream_name) (jetstream_stream_subject_count{OURS})", "{{stream_name}}")]),
    ("Readers that were cut off", "none", [("gnatsd_varz_slow_consumers", "{{server_id}}")]),
]
SOURCE = {"type": "prometheus", "uid": "${source}"}


def panel(number, title, unit, queries):
    targets = [{"refId": chr(65 + it), "datasource": SOURCE, "expr": query, "legendFormat": legend}
               for it, (query, legend) in enumerate(queries)]
    return {"id": number + 1, "type": "timeseries", "title": title, "datasource": SOURCE, "targets": targets,
            "gridPos": {"h": 8, "w": 8, "x": number % 3 * 8, "y": number // 3 * 8},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []}}


def dashboard():
    source = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    return {"title": "Taffrail hub", "uid": "taffrail-hub", "schemaVersion": 39, "tags": ["taffrail"], "refresh": "1m",
            "time": {"from": "now-24h", "to": "now"}, "templating": {"list": [source]},
            "panels": [panel(number, *row) for number, row in enumerate(PANELS)]}


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=2))
