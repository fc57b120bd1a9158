-- class: stores
--
-- Writes entries of the audit trail as they were, with their hashes. The end of the trail moves with them.
--
-- KEYS  ends and entries of the trail
-- ARGV  the sequence number, time, body and hash of each entry, in ascending order

for at = 1, #ARGV, 4 do
  redis.call('XADD', KEYS[2], ARGV[at] .. '-0', 'time', ARGV[at + 1], 'body', ARGV[at + 2], 'hash', ARGV[at + 3])
end
redis.call('HSET', KEYS[1], 'newest', ARGV[#ARGV - 3], 'time', ARGV[#ARGV - 2], 'hash', ARGV[#ARGV])
