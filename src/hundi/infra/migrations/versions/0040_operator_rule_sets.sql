-- The operator's risk rules, for every merchant. A cluster has them on its coordinator, where every process asks: a lost
-- worker takes none of them away. The rules in force are those of the newest version.
CREATE TABLE operator_rule_sets (
    version ordinal PRIMARY KEY,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE TRIGGER operator_rule_sets_append_only BEFORE UPDATE OR DELETE ON operator_rule_sets
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
INSERT INTO operator_rule_sets (version, document, published_by, published_at)
SELECT version, document, published_by, published_at FROM risk_rule_sets WHERE merchant_id = 0;
ALTER TABLE risk_rule_sets DISABLE TRIGGER risk_rule_sets_append_only;
DELETE FROM risk_rule_sets WHERE merchant_id = 0;
ALTER TABLE risk_rule_sets ENABLE TRIGGER risk_rule_sets_append_only;
