# case: a shell script starts cut(1) twice for each line of a file
# first: cut
# first: process|child|program|started
# useful: cut|child|process
# saves: time
set -eu
seq 1 300 | sed 's/.*/id&,name&,city&/' > people.csv
if [ "${1-}" = corrected ]; then
	while IFS=, read -r id name city; do
		echo "$name lives in $city"
	done < people.csv > out
else
	while read -r line; do
		name=$(echo "$line" | cut -d, -f2)
		city=$(echo "$line" | cut -d, -f3)
		echo "$name lives in $city"
	done < people.csv > out
fi
