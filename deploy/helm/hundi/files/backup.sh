#!/bin/sh
# Copies a whole PostgreSQL server into a folder, marks the time, and removes older copies. A copy has
# what payments need to be understood, and is not sealed: keep the folder where nobody else reads.
#
#   backup.sh FOLDER [COPIES]
#
# PGHOST, PGUSER and PGPASSFILE say which server, and as whom: a role that may replicate.
set -eu
folder=$1
keep=${2:-7}
umask 077
if [ -n "${PGPASSFILE:-}" ]; then
    # PostgreSQL's programs refuse a file that a group may read, as mounted secrets are.
    password=$(mktemp)
    trap 'rm -f "$password"' EXIT
    cat "$PGPASSFILE" > "$password"
    export PGPASSFILE="$password"
fi
rm -rf "$folder"/base-*.partial
name=$folder/base-$(date -u +%Y%m%dT%H%M%SZ)
pg_basebackup --no-password --pgdata="$name.partial" --format=tar --gzip --wal-method=stream \
    --checkpoint=fast --manifest-checksums=sha256
mv "$name.partial" "$name"
# The age of the newest copy, for the gateway: the time of this file.
touch "$folder/last_backup"
chmod 0644 "$folder/last_backup"
for old in $(ls -d "$folder"/base-* | sort -r | tail -n +$((keep + 1))); do
    rm -rf "$old"
done
