#!/bin/sh
# Keep seven daily copies of the library's catalogue.
set -eu

catalogue=${1:?usage: backup.sh CATALOGUE FOLDER}
folder=${2:?usage: backup.sh CATALOGUE FOLDER}
today=$(date +%F)

mkdir -p "$folder"
cp "$catalogue" "$folder/catalogue-$today.csv.partial"
mv "$folder/catalogue-$today.csv.partial" "$folder/catalogue-$today.csv"

# The newest seven stay; names sort by date.
ls -1 "$folder"/catalogue-*.csv | sort -r | tail -n +8 | while IFS= read -r old; do
	echo "removing $old" >&2
	rm -- "$old"
done
