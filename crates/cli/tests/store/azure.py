"""A server of Azure's Blob Storage (Azurite), and commands for the test that started it: one a line, each answered by one line."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys

from azure.storage.blob import BlobServiceClient

PR_SET_PDEATHSIG = 1
# Azurite's documents name this account and its key.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def dies_with_this_process():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


program, directory = sys.argv[1:]
server = subprocess.Popen(
    [program, "--blobPort", "0", "--location", directory, "--disableTelemetry", "--skipApiVersionCheck"],
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    text=True,
    preexec_fn=dies_with_this_process,
)
port = next(found[1] for line in server.stdout if (found := re.search(r"listens on http://127.0.0.1:(\d+)", line)))
own = BlobServiceClient(f"http://127.0.0.1:{port}/{ACCOUNT}", credential={"account_name": ACCOUNT, "account_key": KEY})


def save(container, directory):
    """Each blob becomes a file of its name."""
    names = []
    client = own.get_container_client(container)
    for name in client.list_blob_names():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(client.download_blob(name).readall())
        names.append(name)
    return names


COMMANDS = {"bucket": lambda name: own.create_container(name) and name, "save": save}

print(port, flush=True)
for line in sys.stdin:
    name, *words = line.split()
    print(json.dumps(COMMANDS[name](*words)), flush=True)
