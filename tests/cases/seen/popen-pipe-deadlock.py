# case: a parent writes all of its data to a filter before it reads any; both pipes fill up
# ends: hang
# first: deadlock
# first: pipe
# useful: pipe
# saves: nothing: the program never ends
import subprocess, sys

data = b"line of text\n" * 100000
filter = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
open("stuck", "w").close()
if "corrected" in sys.argv:
    filter.communicate(data)
else:
    filter.stdin.write(data)
    filter.stdin.close()
    filter.stdout.read()
    filter.wait()
