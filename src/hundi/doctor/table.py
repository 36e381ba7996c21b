"""Every probe of the doctor, in the order in which command and console show what they found."""

from hundi.doctor.context import DoctorProbe
from hundi.doctor.database import actions as database
from hundi.doctor.database import rules as database_rules
from hundi.doctor.setup import actions as setup
from hundi.doctor.setup import rules as setup_rules

PROBES = (
    DoctorProbe(
        "settings",
        "Settings",
        "Can every setting be used, and is no secret at risk?",
        (
            setup_rules.SETTINGS_USED,
            setup_rules.SETTINGS_REFUSED,
            setup_rules.ADDRESS_IN_CLEAR,
        ),
        setup.look_at_settings,
        needs_settings=False,
    ),
    DoctorProbe(
        "schema",
        "Schema",
        "Is the schema the one of this version?",
        (
            database_rules.SCHEMA_GOOD,
            database_rules.SCHEMA_MISSING,
            database_rules.SCHEMA_OLD,
            database_rules.SCHEMA_UNKNOWN,
        ),
        database.look_at_schema,
        needs_database=True,
    ),
)
