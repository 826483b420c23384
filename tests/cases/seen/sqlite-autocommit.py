# case: each of 200 inserts into a database is a transaction of its own, with its own syncs
# first: app.db
# first: sync
# useful: sync|app.db
# saves: calls
import sqlite3, sys

db = sqlite3.connect("app.db", isolation_level=None)
db.execute("create table t (id integer primary key, name text)")
if "corrected" in sys.argv:
    db.execute("begin")
for i in range(200):
    db.execute("insert into t (name) values (?)", (f"name {i}",))
if "corrected" in sys.argv:
    db.execute("commit")
