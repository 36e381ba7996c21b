CREATE TABLE ps_orderstate (id INT AUTO_INCREMENT PRIMARY KEY, name TEXT, color TEXT, module_name TEXT, unremovable INT);
CREATE TABLE ps_customer (id INT AUTO_INCREMENT PRIMARY KEY, email TEXT, secure_key TEXT);
CREATE TABLE ps_address (id INT AUTO_INCREMENT PRIMARY KEY, firstname TEXT, lastname TEXT, phone TEXT, phone_mobile TEXT, address1 TEXT, address2 TEXT, city TEXT, country TEXT, postcode TEXT);
CREATE TABLE ps_orderpayment (id INT AUTO_INCREMENT PRIMARY KEY, order_reference TEXT, amount TEXT, transaction_id TEXT);
CREATE TABLE ps_order (id INT AUTO_INCREMENT PRIMARY KEY, reference TEXT, id_customer INT, id_cart INT, id_currency INT, id_address_invoice INT, current_state INT, module TEXT, total_paid_tax_incl TEXT, note TEXT, paid_times INT);
CREATE TABLE ps_configuration (name VARCHAR(64) PRIMARY KEY, value TEXT);
INSERT INTO ps_customer SET email = 'asha@example.in', secure_key = 'key-of-asha';
INSERT INTO ps_address SET firstname = 'Asha', lastname = 'Rao', phone = '9876543210', address1 = '1 Ring Road', city = 'Pune', country = 'India', postcode = '411001';
