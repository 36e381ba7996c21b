CREATE TABLE m2_core_config_data (path VARCHAR(100) PRIMARY KEY, value TEXT);
CREATE TABLE sale (id INT AUTO_INCREMENT PRIMARY KEY, state VARCHAR(20), total TEXT, paid TEXT, transaction TEXT, comments TEXT, mails INT DEFAULT 0, customeremail TEXT, telephone TEXT, firstname TEXT, lastname TEXT, city TEXT, region TEXT, countryid TEXT, postcode TEXT, ordercurrencycode TEXT);
