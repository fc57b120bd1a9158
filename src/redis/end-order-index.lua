-- Records that all orders up to an id have an entry in the index, except those that do not exist any more.
--
-- KEYS  index of all orders, number of ids without an order
-- ARGV  order id; the same with leading zeros

local entries = redis.call('ZLEXCOUNT', KEYS[1], '-', '(' .. ARGV[2] .. '-')
redis.call('SET', KEYS[2], string.format('%.0f', ARGV[1] - entries))
