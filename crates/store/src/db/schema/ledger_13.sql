ALTER TABLE operations ADD COLUMN pid INTEGER;
ALTER TABLE operations ADD COLUMN process_start INTEGER;
