-- What is to be paid out: looked at by what is open, and not by what was ever settled (decision 0038).

-- Shares that no payout stands for. A settlement writes the row, a payout takes it away, and one that came to nothing writes it again, each
-- in its own transaction; the audit compares with shares and payouts. account_no: of the last payout that came to nothing, 0 without any.
CREATE TABLE shares_to_pay (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no integer NOT NULL CHECK (account_no >= 0),
    PRIMARY KEY (merchant_id, share_id)
);
CREATE INDEX shares_to_pay_by_account ON shares_to_pay (merchant_id, beneficiary);
INSERT INTO shares_to_pay (merchant_id, share_id, beneficiary, account_no)
SELECT s.merchant_id, s.share_id, s.beneficiary, coalesce(max(p.account_no), 0)
FROM settlement_shares s LEFT JOIN payouts p ON p.merchant_id = s.merchant_id AND p.share_id = s.share_id
GROUP BY s.merchant_id, s.share_id, s.beneficiary
HAVING count(p.payout_id) FILTER (WHERE p.state NOT IN ('refused', 'returned', 'reversed', 'held_back')) = 0;

-- Who has a reserve to be released is found without reading every settlement.
CREATE INDEX settlements_reserve ON settlements (merchant_id, reserve_until) WHERE reserve_until IS NOT NULL;
