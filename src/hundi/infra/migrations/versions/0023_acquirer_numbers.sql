-- Numbers that acquirers want to see once, over all processes and starts: the traces of ISO 8583 (decision 0056).
-- given: the last number that somebody got. It only grows.
CREATE TABLE acquirer_numbers (
    series text PRIMARY KEY CHECK (length(series) BETWEEN 1 AND 63),
    given bigint NOT NULL CHECK (given > 0)
);
CREATE TRIGGER acquirer_numbers_grow BEFORE UPDATE ON acquirer_numbers FOR EACH ROW WHEN (
    OLD.series <> NEW.series OR NEW.given <= OLD.given
) EXECUTE FUNCTION refuse_change();
