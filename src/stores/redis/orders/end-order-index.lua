-- class: stores
--
-- Records that every order has an entry in the index.
--
-- KEYS  index of all orders, number of orders

redis.call('SET', KEYS[2], redis.call('ZCARD', KEYS[1]))
