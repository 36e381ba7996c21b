"""Each alarm with series for which it fires, and series alike for which it stays quiet."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Series = Mapping[str, str]
"""A series, and its values in promtool's notation: one a minute."""
_ATTEMPTS = 'hundi_attempts_total{acquirer="a", method="upi", state="%s"}'
_CALLS = 'hundi_acquirer_calls_total{acquirer="a", call="authorise", outcome="%s"}'
_REFUSED = _CALLS % "credentials_refused"
_MISSING = 'hundi_settlements_missing_total{acquirer="a"}'
_PART = 'hundi_part_started_seconds{part="%s", pid="1"}'
_UP = 'up{job="hundi", instance="%s", parts="%s"}'
_OF = 'hundi_part_started_seconds{job="hundi", instance="%s", part="%s", pid="1"}'
_MACHINE_A = {
    _UP % ("a", "api, worker"): "1x40",
    _OF % ("a", "api"): "1x40",
    _OF % ("a", "worker"): "1x40",
}
_POD = 'up{job="kubernetes-pods", instance="i"}'
_NEIGHBOUR = 'up{job="kubernetes-pods", instance="of others"}'
_STARTED_IN_POD = 'hundi_part_started_seconds{job="kubernetes-pods", instance="i", part="api"}'
_OVERDUE = 'hundi_overdue_seconds{work="%s"}'
_CRONJOB = 'kube_cronjob_status_last_successful_time{cronjob="hundi-backup", namespace="pay"}'
_OTHER_CRONJOB = _CRONJOB.replace("hundi", "other")
_STANDBY = 'hundi_standby_follows{standby="second"}'
_DAY, _HOUR = 86_400, 3_600


@dataclass(frozen=True)
class AlarmCase:
    """Series that make an alarm fire, after so many minutes, and others that do not.

    labels: of the alarm that fires, besides its severity. summary: its words.
    """

    name: str
    fires: Series
    quiet: Series
    summary: str
    labels: Mapping[str, str] = field(default_factory=dict)
    minutes: int = 30


CASES = (
    AlarmCase(
        "GatewayDown",
        fires={'up{job="hundi", instance="i"}': "1x10 0x20"},
        quiet={'up{job="hundi", instance="i"}': "1x28 0 1", _PART % "api": "1x40"},
        labels={"job": "hundi", "instance": "i"},
        summary="Prometheus gets no metrics from Hundi",
    ),
    AlarmCase(
        "GatewayDown",
        # Another name of the job, and a neighbour that is away and is not ours.
        fires={_POD: "1x10 0x20", _STARTED_IN_POD: "1x10 stale", _NEIGHBOUR: "0x40"},
        quiet={_POD: "1x40", _STARTED_IN_POD: "1x40", _NEIGHBOUR: "0x40"},
        labels={"job": "kubernetes-pods", "instance": "i"},
        summary="Prometheus gets no metrics from Hundi",
    ),
    AlarmCase(
        "GatewayDown",
        # A pod that another one replaced is no target any more.
        fires={_POD: "1x10 stale", _STARTED_IN_POD: "1x10 stale"},
        quiet={
            _POD: "1x10 stale",
            _STARTED_IN_POD: "1x10 stale",
            _POD.replace('"i"', '"j"'): "1x40",
            _STARTED_IN_POD.replace('"i"', '"j"'): "1x40",
        },
        summary="Prometheus gets no metrics from Hundi",
    ),
    AlarmCase(
        "PartMissing",
        fires={_PART % "api": "1x30"},
        quiet={_PART % "api": "1x30", _PART % "worker": "1x30"},
        labels={"part": "worker"},
        summary="No worker process of Hundi runs anywhere",
    ),
    AlarmCase(
        "PartMissing",
        # Two machines: the one of which it is said that it has a worker never had one.
        fires={**_MACHINE_A, _UP % ("b", "api, worker"): "1x40", _OF % ("b", "api"): "1x40"},
        quiet={**_MACHINE_A, _UP % ("b", "api"): "1x40", _OF % ("b", "api"): "1x40"},
        labels={"part": "worker", "instance": "b"},
        summary="No worker process of Hundi runs at b",
    ),
    AlarmCase(
        "PartMissing",
        # Two machines: one loses a part of which nothing was said. A machine that is away has none.
        fires={**_MACHINE_A, _UP % ("b", ""): "1x40", _OF % ("b", "api"): "1x10 stale"},
        quiet={**_MACHINE_A, _UP % ("b", ""): "1x10 0x30", _OF % ("b", "api"): "1x10 stale"},
        labels={"part": "api", "instance": "b"},
        summary="No api process of Hundi runs at b",
    ),
    AlarmCase(
        "PaymentsStopped",
        fires={_ATTEMPTS % "paid": "0+1x120 120x30"},
        # Few before, and one now and then.
        quiet={_ATTEMPTS % "paid": "0+0.1x120 12x30"},
        summary=(
            "Nobody has paid for a quarter of an hour, after more than 12 payments an hour before"
        ),
        minutes=145,
    ),
    AlarmCase(
        "SuccessDropped",
        fires={_ATTEMPTS % "paid": "0+9x120 1080+4x60", _ATTEMPTS % "failed": "0+1x120 120+6x60"},
        quiet={_ATTEMPTS % "paid": "0+9x120 1080+7x60", _ATTEMPTS % "failed": "0+1x120 120+3x60"},
        labels={"method": "upi"},
        summary="40% of the attempts by upi are paid: less than 0.7 of the day before's share",
        minutes=160,
    ),
    AlarmCase(
        "AcquirerUnreachable",
        fires={'hundi_acquirer_reachable{acquirer="a"}': "1x20 0x10"},
        quiet={'hundi_acquirer_reachable{acquirer="a"}': "1x28 0 1"},
        labels={"acquirer": "a"},
        summary="The acquirer a does not answer, and is not called until it does",
    ),
    AlarmCase(
        "AcquirerRefusesKeys",
        # A counter begins with its first count.
        fires={_REFUSED: "_x25 1x10"},
        quiet={_REFUSED: "1x40"},
        labels={"acquirer": "a", "call": "authorise", "outcome": "credentials_refused"},
        summary="The acquirer a refuses our keys",
    ),
    AlarmCase(
        "UnknownsGrow",
        fires={_CALLS % "approved": "0+7x60", _CALLS % "unknown_sent": "0+3x60"},
        quiet={_CALLS % "approved": "0+9x60", _CALLS % "unknown_sent": "0+1x60"},
        labels={"acquirer": "a"},
        summary="30% of the calls to a end without an answer",
    ),
    AlarmCase(
        "AttemptsUnanswered",
        fires={'hundi_attempts_unanswered{acquirer="a"}': "11x40"},
        quiet={'hundi_attempts_unanswered{acquirer="a"}': "10x40"},
        labels={"acquirer": "a"},
        summary="11 attempts at a have waited for its answer for half an hour",
    ),
    AlarmCase(
        "WorkWaits",
        fires={_OVERDUE % "refunds": "600x40"},
        quiet={
            _OVERDUE % "refunds": "60x40",
            _OVERDUE % "deliveries": "600x40",
            _OVERDUE % "endpoint deliveries": "600x40",
        },
        labels={"work": "refunds"},
        summary="Nobody works on refunds: the oldest has been due for 10m 0s",
    ),
    AlarmCase(
        "DeliveriesWait",
        fires={_OVERDUE % "endpoint deliveries": "600x40"},
        quiet={_OVERDUE % "deliveries": "20x40", _OVERDUE % "refunds": "600x40"},
        summary="Merchants are not told: the oldest notification has been due for 10m 0s",
    ),
    AlarmCase(
        "TurnAroundEnds",
        fires={_OVERDUE % "turn-around times": "0x29 5x10"},
        quiet={_OVERDUE % "turn-around times": "0x40"},
        summary=(
            "A customer was charged four days ago and the payment has no outcome: on the fifth day"
            " compensation is due"
        ),
    ),
    AlarmCase(
        "BooksNotSealed",
        fires={'hundi_schedule_done_seconds{schedule="seal_books"}': "0x60"},
        quiet={'hundi_schedule_done_seconds{schedule="seal_books"}': "0+60x60"},
        summary="No worker has sealed the books for more than 15 minutes",
    ),
    AlarmCase(
        "ReportsOverdue",
        fires={'hundi_settlement_reports_overdue_seconds{acquirer="a"}': f"{7 * _HOUR}x40"},
        quiet={'hundi_settlement_reports_overdue_seconds{acquirer="a"}': f"{5 * _HOUR}x40"},
        labels={"acquirer": "a"},
        summary="The settlement reports of a should have been fetched 7h 0m 0s ago",
    ),
    AlarmCase(
        "SettlementsMissing",
        fires={_MISSING: "_x1000 3x600"},
        quiet={_MISSING: "3x2000"},
        labels={"acquirer": "a"},
        summary="No report of a shows 3 payments, refunds or chargebacks that it should",
        minutes=1_500,
    ),
    AlarmCase(
        "PayoutsReturned",
        fires={"hundi_payouts_returned": "2x40"},
        quiet={"hundi_payouts_returned": "0x40"},
        summary="2 payouts came back from the bank and wait for another account",
    ),
    AlarmCase(
        "LettersWait",
        fires={"hundi_letters_late": "4x40"},
        quiet={"hundi_letters_late": "0x40"},
        summary="4 letters to people have waited for half an hour",
    ),
    AlarmCase(
        "BalanceShort",
        fires={"hundi_payouts_awaiting_balance": "3x40"},
        quiet={"hundi_payouts_awaiting_balance": "0x40"},
        summary="3 approved payouts wait: the balance they leave from is short",
    ),
    AlarmCase(
        "PayoutsWithoutProvider",
        fires={"hundi_payouts_awaiting_provider": "2x40"},
        quiet={"hundi_payouts_awaiting_provider": "0x40"},
        summary="2 approved payouts wait: no provider may carry them",
    ),
    AlarmCase(
        "BalanceNotTold",
        fires={'hundi_payout_balance_read_seconds{acquirer="a"}': "0x90"},
        quiet={'hundi_payout_balance_read_seconds{acquirer="a"}': "0+60x90"},
        labels={"acquirer": "a"},
        summary="a has not told its balance for 1h 15m 0s",
        minutes=75,
    ),
    AlarmCase(
        "PaidTwice",
        fires={"hundi_payouts_paid_twice": "1x40"},
        quiet={"hundi_payouts_paid_twice": "0x40"},
        summary="1 payouts that a bank had refused were paid after all, and another one as well",
    ),
    AlarmCase(
        "SharesUnanswered",
        fires={"hundi_shares_unanswered": "1x40"},
        quiet={"hundi_shares_unanswered": "0x40"},
        summary="1 direct shares have waited for an answer of their acquirer for two days",
    ),
    AlarmCase(
        "ReversalsOwed",
        fires={"hundi_share_reversals_owed": "2x40"},
        quiet={"hundi_share_reversals_owed": "0x40"},
        summary="2 parts of direct shares were not taken back for a week: merchants have lent them",
    ),
    AlarmCase(
        "DisputesDue",
        fires={'hundi_disputes_due{acquirer="a"}': "1x40"},
        quiet={'hundi_disputes_due{acquirer="a"}': "0x40"},
        labels={"acquirer": "a"},
        summary="1 disputes at a can be answered for two days more at most",
    ),
    AlarmCase(
        "CertificateEnds",
        fires={'hundi_certificate_ends_seconds{host="h"}': f"{13 * _DAY + 30 * 60}x40"},
        quiet={'hundi_certificate_ends_seconds{host="h"}': f"{15 * _DAY}x40"},
        labels={"host": "h"},
        summary="The certificate of h ends in 13d 0h 0m 0s",
    ),
    AlarmCase(
        "CertificateEnds",
        fires={'hundi_certificate_ends_seconds{host="h"}': "0x40"},
        quiet={'hundi_certificate_ends_seconds{host="h"}': f"{15 * _DAY}x40"},
        labels={"host": "h"},
        summary="The certificate of h has ended",
    ),
    AlarmCase(
        "BackupOld",
        fires={
            "hundi_last_backup_seconds": "0x2000",
            _OTHER_CRONJOB: "9e4x2000",
        },
        quiet={"hundi_last_backup_seconds": "0x2000", _CRONJOB: "0x1439 86400x600"},
        summary="No whole backup was made for 1d 3h 0m 0s",
        minutes=27 * 60,
    ),
    AlarmCase(
        "CommitsWait",
        fires={"hundi_synchronous_standbys": "1x20 0x20"},
        quiet={"hundi_synchronous_standbys": "1x20 0x8 1x2"},
        summary=(
            "Payments wait: the database acknowledges nothing without a standby, and none is"
            " connected"
        ),
    ),
    AlarmCase(
        "StandbyLost",
        fires={_STANDBY: "1x20 0x20", _OVERDUE % "deliveries": "0x40"},
        quiet={_STANDBY: "1x27 0x1 1x10", _OVERDUE % "deliveries": "0x40"},
        labels={"standby": "second"},
        summary="The database's standby second does not follow it",
    ),
    AlarmCase(
        "StandbyLost",
        # The database knows nothing of it any more; or nothing is known of the database.
        fires={_STANDBY: "1x10 stale", _OVERDUE % "deliveries": "0x40"},
        quiet={_STANDBY: "1x10 stale", _OVERDUE % "deliveries": "0x10 stale"},
        labels={"standby": "second"},
        summary="The database's standby second does not follow it",
    ),
    AlarmCase(
        "ReplicaBehind",
        fires={"hundi_replica_lag_seconds": "90x40"},
        quiet={"hundi_replica_lag_seconds": "0 90 0x40"},
        summary="The read replica is 1m 30s behind",
    ),
)
