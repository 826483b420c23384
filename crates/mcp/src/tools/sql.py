"""Asks DuckDB: `make DATABASE` reads the tables below the working directory into a database, `ask DATABASE SQL ROWS` answers a question."""

import json
import sys

try:
    import duckdb
except ImportError:
    sys.exit(4)


def fail(error):
    print(error, file=sys.stderr)
    sys.exit(3)


def make(database, statements):
    with duckdb.connect(database) as connection:
        connection.execute(statements)


def ask(database, sql, rows, settings):
    connection = duckdb.connect(database, read_only=True)
    connection.execute(settings)
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        fail(f"there are {len(statements)} statements, and one is possible")
    if statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        fail(f"only SELECT is possible, and this statement is of another kind: {statements[0].type.name}")
    answer = connection.execute(statements[0])
    names = [column[0] for column in answer.description]
    for _ in range(rows + 1):
        row = answer.fetchone()
        if row is None:
            break
        # As the command duckdb writes rows. Names may be there twice.
        print(json.dumps(row_of(names, row), default=str), flush=True)


def row_of(names, row):
    out = {}
    for name, value in zip(names, row):
        while name in out:
            name += "_"
        out[name] = value
    return out


try:
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3])
    else:
        ask(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
except duckdb.Error as error:
    fail(error)
