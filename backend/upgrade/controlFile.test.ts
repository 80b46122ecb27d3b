import { describe, expect, it } from 'vitest'
import { parsePosition, walFileAt } from './controlFile.ts'

describe('walFileAt', () => {
  it.each([
    ['0/1A2B3C4D', '00000001000000000000001A'],
    ['0/FFFFFFFF', '0000000100000000000000FF'],
    ['1/0', '000000010000000100000000'],
    ['1A/2B000000', '000000010000001A0000002B'],
  ])('returns the file that contains %s', (position, file) => {
    expect(walFileAt(parsePosition(position), '000000010000000000000001')).toBe(file)
  })

  it('uses the timeline of another file', () => {
    expect(walFileAt(parsePosition('0/1000000'), '0000000A0000000000000001')).toBe('0000000A0000000000000001')
  })
})
