import { expect, it } from 'vitest'
import { parseUrl } from './parseUrl.ts'

it('returns URLs, relative ones with a base, and null for other text', () => {
  expect(parseUrl('https://chat.example/a')?.pathname).toBe('/a')
  expect(parseUrl('../b', 'https://chat.example/a/c')?.href).toBe('https://chat.example/b')
  expect(parseUrl('/b')).toBe(null)
  expect(parseUrl('http://[')).toBe(null)
})

// After some thousand calls, V8 compiles a function; URL.canParse of Node 20 then returns true for the first text.
it('returns the same after many calls', () => {
  const refused = Buffer.from('http://127。0。0。1/').toString('latin1')
  const outcomes = new Set<string | undefined>()
  for (let n = 0; n < 20_000; n++) outcomes.add(parseUrl(refused, 'http://chat.example')?.href)
  expect([...outcomes]).toEqual([undefined])
})
