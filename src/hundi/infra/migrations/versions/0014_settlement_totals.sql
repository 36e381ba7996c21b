-- What an acquirer handed over by one transfer, where it names no lines: a settlement, of all merchants together.
-- One that is told twice with another amount or transfer is two rows, so that the contradiction is seen.
CREATE TABLE settlement_totals (
    connector  text        NOT NULL,
    settlement text        NOT NULL,
    utr        text        NOT NULL CHECK (utr <> ''),
    net_paise  bigint      NOT NULL CHECK (net_paise <> 0),
    day        date        NOT NULL,
    fetched_at timestamptz NOT NULL,
    PRIMARY KEY (connector, settlement, utr, net_paise)
);
CREATE INDEX settlement_totals_by_utr ON settlement_totals (utr);
CREATE TRIGGER settlement_totals_stay BEFORE DELETE OR UPDATE ON settlement_totals FOR EACH ROW EXECUTE FUNCTION refuse_change();
