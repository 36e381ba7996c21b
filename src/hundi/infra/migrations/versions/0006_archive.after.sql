-- What a payment's removal looks its rows up by.
DROP INDEX CONCURRENTLY IF EXISTS completions_of_payment;
CREATE INDEX CONCURRENTLY completions_of_payment ON completions (merchant_id, payment_id);
DROP INDEX CONCURRENTLY IF EXISTS split_configurations_of_payment;
CREATE INDEX CONCURRENTLY split_configurations_of_payment ON split_configurations (merchant_id, payment_id);
DROP INDEX CONCURRENTLY IF EXISTS subscription_debits_of_payment;
CREATE INDEX CONCURRENTLY subscription_debits_of_payment ON subscription_debits (merchant_id, payment_id);
