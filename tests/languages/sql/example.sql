-- Everyone who ever bought something.
CREATE TABLE IF NOT EXISTS shop.users (
  id INT PRIMARY KEY,
  "full name" VARCHAR(80) NOT NULL, -- as printed
  email TEXT UNIQUE,
  CONSTRAINT email_set CHECK (email <> '')
);

/* Orders refer
   to users. */
CREATE TABLE orders (
  id BIGINT PRIMARY KEY,
  user_id INT REFERENCES shop.users (id),
  status order_status NOT NULL
);

CREATE TABLE `legacy`.`items` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `note` text
) ENGINE=InnoDB;

CREATE TEMP TABLE recent AS SELECT * FROM orders;

CREATE TYPE order_status AS ENUM ('open', 'paid');
CREATE TYPE shop.address AS (
  street TEXT,
  zip INT
);

CREATE OR REPLACE VIEW shop.open_orders AS
SELECT o.id, u.email FROM orders o JOIN shop.users u ON u.id = o.user_id
WHERE o.status = 'open';

CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM orders;

CREATE UNIQUE INDEX idx_orders_user ON orders (user_id);

-- Adds two numbers.
CREATE FUNCTION shop.add(a INT, b INT) RETURNS SETOF shop.users AS $$
BEGIN
  RETURN a + b;
END;
$$ LANGUAGE plpgsql;

CREATE PROCEDURE tidy(days INT) LANGUAGE sql AS $$
  DELETE FROM orders WHERE id < 0;
$$;

CREATE TRIGGER orders_changed BEFORE UPDATE ON orders
FOR EACH ROW EXECUTE FUNCTION touch();

CREATE SCHEMA audit;
CREATE SEQUENCE IF NOT EXISTS shop.order_seq START 1;
CREATE POLICY own_rows ON orders USING (true);
CREATE ROLE reader;

ALTER TABLE shop.users ADD COLUMN age INT;

WITH old AS (SELECT 1) SELECT * FROM old;
INSERT INTO orders VALUES (1, 1, 'open');
