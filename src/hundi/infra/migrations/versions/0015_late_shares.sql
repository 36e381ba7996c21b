-- Direct shares that an acquirer makes after it refused them. late_at: when it said so. hastened_at: of the newest
-- inquiry that a webhook asked for.

ALTER TABLE direct_shares ADD COLUMN late_at timestamptz;
ALTER TABLE direct_shares ADD COLUMN hastened_at timestamptz;
ALTER TABLE direct_shares ADD CONSTRAINT direct_shares_late CHECK (late_at IS NULL OR state = 'refused');
