-- charged_at: when we began to ask for the charge of a card; the bank may hear of it for a while after that.
-- hastened_at: when an unproven message last brought an inquiry forward; the next one has to wait.
ALTER TABLE attempts ADD charged_at timestamptz, ADD hastened_at timestamptz;
-- Written by nobody since it was made.
ALTER TABLE payment_events DROP detail;
