"""Asks the questions of docs/sql.md: answers.py duckdb|spark DIRECTORY DOCUMENT [SECONDS]

Prints a line of JSON for each question: its title, the names of the columns, the rows, and the seconds that it took.
"""

import datetime
import decimal
import json
import re
import sys
import time

TABLES = ["calls", "processes", "stacks", "losses", "traces"]


def questions(document):
    """The titles and the SQL of a document."""
    text = open(document, encoding="utf-8").read()
    return re.findall(r"^### ([^\n]*)\n.*?^```sql\n(.*?)^```", text, re.M | re.S)


def plain(value):
    """A value as every database means it."""
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.isoformat(sep=" ", timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


def with_duckdb(directory):
    import duckdb

    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    for table in TABLES:
        files = f"{directory}/{table}/**/*.parquet".replace("'", "''")
        database.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', hive_partitioning = true)")

    def ask(sql):
        answer = database.execute(sql)
        return [column[0] for column in answer.description], answer.fetchall()

    return ask


def with_spark(directory):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    for table in TABLES:
        session.read.parquet(f"{directory}/{table}").createOrReplaceTempView(table)

    def ask(sql):
        answer = session.sql(sql)
        return answer.columns, [tuple(row) for row in answer.collect()]

    return ask


def main():
    engine, directory, document = sys.argv[1:4]
    ask = {"duckdb": with_duckdb, "spark": with_spark}[engine](directory)
    for title, sql in questions(document):
        begun = time.monotonic()
        columns, rows = ask(sql)
        seconds = time.monotonic() - begun
        rows = [[plain(value) for value in row] for row in rows]
        print(json.dumps({"title": title, "columns": columns, "rows": rows, "seconds": seconds}), flush=True)


main()
