-- Payouts refer to the tables of approvals, which are spread first.
SELECT create_distributed_function('person_key(text)'::regprocedure);
SELECT create_distributed_table('payout_approvals', 'merchant_id', colocate_with => 'merchants');
SELECT create_distributed_table('accepted_names', 'merchant_id', colocate_with => 'merchants');
