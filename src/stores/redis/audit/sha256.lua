-- SHA-256 (FIPS 180-4), which Redis has no function for. It takes about 0.1 ms for each 64 bytes, so hash short texts
-- only.

local ROUND_CONSTANTS = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

local FIRST_STATE = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

-- Returns a text with the padding of SHA-256. Texts are shorter than 512 MiB.
local function padded(text)
  local zeros = (55 - #text) % 64
  return text .. '\128' .. string.rep('\0', zeros) .. struct.pack('>I4I4', 0, #text * 8)
end

-- Returns the 64 words of the message schedule for the block at a position.
local function schedule(text, at)
  local rshift, ror, bxor, tobit = bit.rshift, bit.ror, bit.bxor, bit.tobit
  local words = { struct.unpack('>I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4', text, at) }
  for t = 17, 64 do
    local a, b = words[t - 15], words[t - 2]
    words[t] = tobit(
      words[t - 16]
        + bxor(ror(a, 7), ror(a, 18), rshift(a, 3))
        + words[t - 7]
        + bxor(ror(b, 17), ror(b, 19), rshift(b, 10))
    )
  end
  return words
end

-- Returns the SHA-256 of a text in lower-case hexadecimal.
local function sha256(text)
  local ror, bxor, band, tobit = bit.ror, bit.bxor, bit.band, bit.tobit
  local state = { unpack(FIRST_STATE) }
  local message = padded(text)
  for at = 1, #message, 64 do
    local words = schedule(message, at)
    local a, b, c, d, e, f, g, h = unpack(state)
    for t = 1, 64 do
      local sum = h
        + bxor(ror(e, 6), ror(e, 11), ror(e, 25))
        + bxor(g, band(e, bxor(f, g)))
        + ROUND_CONSTANTS[t]
        + words[t]
      h, g, f, e = g, f, e, tobit(d + sum)
      sum = sum + bxor(ror(a, 2), ror(a, 13), ror(a, 22)) + bxor(band(a, b), band(c, bxor(a, b)))
      d, c, b, a = c, b, a, tobit(sum)
    end
    for index, value in ipairs({ a, b, c, d, e, f, g, h }) do
      state[index] = tobit(state[index] + value)
    end
  end
  local digits = {}
  for index, value in ipairs(state) do
    digits[index] = bit.tohex(value)
  end
  return table.concat(digits)
end
