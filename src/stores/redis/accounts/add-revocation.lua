-- class: frees
--
-- Says to all processes that a key was revoked, or an account disabled or deleted.
--
-- KEYS  revocations
-- ARGV  id of the key or account, how many revocations are stored at least
-- Reply nothing

redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'id', ARGV[1])
