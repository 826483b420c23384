"""A server of S3's protocol (moto), and commands for the test that started it: one a line, each answered by one line."""

import json
import os
import sys

import boto3
from botocore.config import Config
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
own = boto3.client(
    "s3",
    endpoint_url=f"http://127.0.0.1:{port}",
    region_name="us-east-1",
    aws_access_key_id="test",
    aws_secret_access_key="test",
    config=Config(s3={"addressing_style": "path"}, proxies={}),
)


def objects(bucket):
    for page in own.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        yield from page.get("Contents", [])


def save(bucket, directory):
    """Each object becomes a file of its name."""
    names = []
    for each in objects(bucket):
        path = os.path.join(directory, each["Key"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        own.download_file(bucket, each["Key"], path)
        names.append(each["Key"])
    return names


COMMANDS = {
    "bucket": lambda name: own.create_bucket(Bucket=name) and name,
    "names": lambda bucket: [each["Key"] for each in objects(bucket)],
    "save": save,
    "uploads": lambda bucket: [each["Key"] for each in own.list_multipart_uploads(Bucket=bucket).get("Uploads", [])],
}

print(port, flush=True)
for line in sys.stdin:
    name, *words = line.split()
    print(json.dumps(COMMANDS[name](*words)), flush=True)
