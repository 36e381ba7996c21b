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
cd -- "$folder"
# Exactly the names that are made here: whatever else is in the folder is somebody else's.
digits='[0-9][0-9][0-9][0-9][0-9][0-9]'
copies="base-[0-9][0-9]${digits}T${digits}Z"
rm -rf $copies.partial
name=base-$(date -u +%Y%m%dT%H%M%SZ)
pg_basebackup --no-password --pgdata="$name.partial" --format=tar --gzip --wal-method=stream \
    --checkpoint=fast --manifest-checksums=sha256
mv "$name.partial" "$name"
# The age of the newest copy, for the gateway: the time of this file.
touch last_backup
chmod 0644 last_backup
# The shell sorts them: the oldest first.
set -- $copies
while [ $# -gt "$keep" ]; do
    rm -rf "$1"
    shift
done
