#!/bin/sh
# Runs Hundi with this machine's settings. Root is an operator: /etc/hundi/operator has the password
# of the operator's database role. A service gets its own credentials from systemd.
: "${HUNDI_CONFIG=/etc/hundi/hundi.toml}" "${HUNDI_DATA_DIR=/var/lib/hundi}"
export HUNDI_CONFIG HUNDI_DATA_DIR
if [ -z "$CREDENTIALS_DIRECTORY" ] && [ -r /etc/hundi/operator ]; then
    export CREDENTIALS_DIRECTORY=/etc/hundi/operator
fi
exec /usr/lib/hundi/bin/hundi "$@"
