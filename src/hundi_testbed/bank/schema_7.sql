-- What came after schema_6.sql was released: mandates that customers pause, that stand without their first payment, and notices with names.
-- A database that has the first six gets this one as well.

-- alone: the mandate stands although its first payment was declined. paused_at: since when its customer allows no debit.
ALTER TABLE mandates ADD COLUMN alone boolean NOT NULL DEFAULT false, ADD COLUMN paused_at timestamptz;
-- reference: the gateway's of the notice; its name here is `NTC-` with that reference. '' of notices before that.
ALTER TABLE mandate_notices ADD COLUMN reference text NOT NULL DEFAULT '';
