-- What a refused request was compared with, when it was refused: the message itself is never kept.

ALTER TABLE refused_requests ADD COLUMN explained jsonb DEFAULT '{}' NOT NULL;
