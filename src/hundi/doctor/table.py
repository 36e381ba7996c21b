"""Every probe of the doctor, in the order in which command and console show what they found."""

from hundi.doctor.backups import actions as backups
from hundi.doctor.backups import rules as backup_rules
from hundi.doctor.context import DoctorProbe
from hundi.doctor.database import actions as database
from hundi.doctor.database import rules as database_rules
from hundi.doctor.keys import actions as keys
from hundi.doctor.keys import rules as key_rules
from hundi.doctor.machine import actions as machine
from hundi.doctor.machine import rules as machine_rules
from hundi.doctor.mail import actions as mail
from hundi.doctor.mail import rules as mail_rules
from hundi.doctor.outside import actions as outside
from hundi.doctor.outside import rules as outside_rules
from hundi.doctor.setup import actions as setup
from hundi.doctor.setup import rules as setup_rules
from hundi.doctor.site import actions as site
from hundi.doctor.site import rules as site_rules
from hundi.doctor.standbys import actions as standbys
from hundi.doctor.standbys import rules as standby_rules

_CLOCKS = (
    database_rules.CLOCK_GOOD,
    database_rules.CLOCK_DRIFTS,
    database_rules.CLOCK_WRONG,
)

PROBES = (
    DoctorProbe(
        "settings",
        "Settings",
        "Can every setting be used, and is no secret open to others?",
        (
            setup_rules.SETTINGS_USED,
            setup_rules.SETTINGS_REFUSED,
            setup_rules.SETTINGS_FILE_OPEN,
            setup_rules.SECRET_IN_ENVIRONMENT,
            setup_rules.ADDRESS_IN_CLEAR,
        ),
        setup.look_at_settings,
        needs_settings=False,
    ),
    DoctorProbe(
        "python",
        "Python",
        "Are Python and the packages there, and does this Python still get fixes?",
        (setup_rules.PYTHON_USABLE, setup_rules.PYTHON_OLD, setup_rules.PACKAGE_MISSING),
        setup.look_at_python,
        needs_settings=False,
    ),
    DoctorProbe(
        "data",
        "Data directory",
        "Can the data directory be used?",
        (setup_rules.DATA_USABLE, setup_rules.DATA_MISSING, setup_rules.DATA_FORBIDDEN),
        setup.look_at_data,
    ),
    DoctorProbe(
        "disk",
        "Disk",
        "Is there room for data and backups?",
        (
            machine_rules.DISK_GOOD,
            machine_rules.DISK_LOW,
            machine_rules.DISK_FULL,
            machine_rules.DISK_UNSEEN,
        ),
        machine.look_at_disks,
    ),
    DoctorProbe(
        "port",
        "Port",
        "Who listens at the gateway's port on this machine?",
        (
            machine_rules.PORT_OURS,
            machine_rules.PORT_FREE,
            machine_rules.PORT_TAKEN,
            machine_rules.PORT_FORBIDDEN,
        ),
        machine.look_at_port,
    ),
    DoctorProbe(
        "time",
        "Time",
        "Does this machine's clock follow a time server?",
        (machine_rules.CLOCK_KEPT, machine_rules.CLOCK_ALONE),
        machine.look_at_time,
        needs_settings=False,
    ),
    DoctorProbe(
        "database",
        "Database",
        "Does each address reach the database, and is its server fit?",
        (
            database_rules.SERVER_GOOD,
            database_rules.UNREACHABLE,
            database_rules.STOPPED,
            database_rules.OTHER_DATABASE,
            database_rules.SERVER_OLD,
            database_rules.NOT_DURABLE,
            database_rules.READ_ONLY,
            database_rules.IN_CLEAR,
            database_rules.OTHER_ENCODING,
        ),
        database.look_at_servers,
    ),
    DoctorProbe(
        "schema",
        "Schema",
        "Is the schema the one of this version, and does the server count on from the books?",
        (
            database_rules.SCHEMA_GOOD,
            database_rules.SCHEMA_MISSING,
            database_rules.SCHEMA_OLD,
            database_rules.SCHEMA_UNKNOWN,
            database_rules.COUNTER_BEHIND,
        ),
        database.look_at_schema,
        needs_database=True,
    ),
    DoctorProbe(
        "roles",
        "Roles",
        "Does each role have its rights and no others, and each address its role?",
        (
            database_rules.RIGHTS_GOOD,
            database_rules.RIGHT_MISSING,
            database_rules.RIGHT_TOO_MANY,
            database_rules.NO_OWNER,
            database_rules.ROLE_OTHER,
            database_rules.ROLE_SUPERUSER,
            database_rules.ROLES_MISSING,
        ),
        database.look_at_roles,
        needs_database=True,
    ),
    DoctorProbe(
        "standbys",
        "Standbys",
        "Does each standby of the database follow it, and do no commits wait for one?",
        (
            standby_rules.STANDBY_GOOD,
            standby_rules.STANDBY_NONE,
            standby_rules.STANDBY_LOST,
            standby_rules.COMMITS_WAIT,
        ),
        standbys.look_at_standbys,
        needs_database=True,
    ),
    DoctorProbe(
        "clock",
        "Clock",
        "Does this machine's clock agree with the database's?",
        _CLOCKS,
        database.look_at_clock,
        needs_database=True,
    ),
    DoctorProbe(
        "work",
        "Worker",
        "Is nothing due that nobody works on?",
        (database_rules.WORK_GOOD, database_rules.LATE),
        database.look_at_work,
        needs_database=True,
    ),
    DoctorProbe(
        "keys",
        "Keys",
        "Do the keys open what the database has?",
        (key_rules.KEYS_GOOD, key_rules.KEYS_NEW, key_rules.KEYS_REFUSED, key_rules.KEYS_OTHER),
        keys.look_at_keys,
    ),
    DoctorProbe(
        "key_copy",
        "Copy of the keys",
        "Does the copy of the key file have every key?",
        (key_rules.COPY_GOOD, key_rules.COPY_UNSEEN, key_rules.COPY_OLD, key_rules.COPY_REFUSED),
        keys.look_at_copy,
    ),
    DoctorProbe(
        "backups",
        "Backups",
        "How old is the newest copy, and what is beside it?",
        (
            backup_rules.BACKUP_GOOD,
            backup_rules.BACKUP_UNSEEN,
            backup_rules.BACKUP_MISSING,
            backup_rules.BACKUP_OLD,
            backup_rules.BACKUP_REFUSED,
            backup_rules.LOG_BEHIND,
            backup_rules.KEY_BESIDE,
            backup_rules.ARCHIVE_FAILS,
        ),
        backups.look_at_backups,
    ),
    DoctorProbe(
        "site",
        "Address and proxy",
        "Do customers reach the gateway, and what does a proxy in between change?",
        (
            site_rules.SITE_GOOD,
            site_rules.SITE_NAME,
            site_rules.SITE_UNREACHABLE,
            site_rules.SITE_NO_TLS,
            site_rules.SITE_OTHER,
            site_rules.CERTIFICATE_GOOD,
            site_rules.CERTIFICATE_ENDS_SOON,
            site_rules.CERTIFICATE_ENDED,
            site_rules.CERTIFICATE_REFUSED,
            site_rules.PROXY_SILENT,
            site_rules.PROXY_UNTRUSTED,
            site_rules.PROXY_HOST,
            site_rules.NO_HSTS,
            site_rules.PROXY_LOG,
        ),
        site.look_at_sites,
    ),
    DoctorProbe(
        "acquirers",
        "Acquirers",
        "Does each acquirer answer what moves no money, and what time is it there?",
        (
            outside_rules.ACQUIRER_GOOD,
            outside_rules.NO_ACQUIRER,
            outside_rules.ACQUIRERS_REFUSED,
            outside_rules.ACQUIRER_NAME,
            outside_rules.ACQUIRER_UNREACHABLE,
            outside_rules.ACQUIRER_CERTIFICATE,
            outside_rules.ACQUIRER_ENDS_SOON,
            outside_rules.ACQUIRER_OTHERWISE,
            *_CLOCKS,
        ),
        outside.look_at_acquirers,
        asks_others=True,
    ),
    DoctorProbe(
        "endpoints",
        "Merchants' addresses",
        "Can merchants' notification addresses be reached?",
        (
            outside_rules.ENDPOINTS_GOOD,
            outside_rules.NO_ENDPOINT,
            outside_rules.ENDPOINT_NAME,
            outside_rules.ENDPOINT_UNREACHABLE,
            outside_rules.ENDPOINT_CERTIFICATE,
            outside_rules.ENDPOINT_REFUSED,
            outside_rules.ENDPOINTS_LEFT_OUT,
        ),
        outside.look_at_endpoints,
        needs_database=True,
        asks_others=True,
    ),
    DoctorProbe(
        "mail",
        "Mail",
        "Is the mail relay there, and does it take us?",
        (
            mail_rules.MAIL_GOOD,
            mail_rules.MAIL_NONE,
            mail_rules.MAIL_UNREACHABLE,
            mail_rules.MAIL_REFUSES,
        ),
        mail.look_at_relay,
        asks_others=True,
    ),
    DoctorProbe(
        "phones",
        "Phones",
        "Do the providers of SMS and WhatsApp answer, and know us?",
        (
            mail_rules.PHONES_GOOD,
            mail_rules.PHONES_NONE,
            mail_rules.PHONES_UNREACHABLE,
            mail_rules.PHONES_REFUSES,
        ),
        mail.look_at_providers,
        asks_others=True,
    ),
)

ASK_OTHERS = frozenset(probe.name for probe in PROBES if probe.asks_others)
"""The names of probes that call servers of others."""
