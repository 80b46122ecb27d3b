import { describe, expect, it } from 'vitest'
import { parseLsn, segmentName } from './lsn.ts'

describe('segmentName', () => {
  it.each([
    ['0/1A2B3C4D', '00000001000000000000001A'],
    ['0/FFFFFFFF', '0000000100000000000000FF'],
    ['1/0', '000000010000000100000000'],
    ['1A/2B000000', '000000010000001A0000002B'],
  ])('returns the file that contains %s', (position, file) => {
    expect(segmentName(1, parseLsn(position))).toBe(file)
  })

  it('begins with the timeline', () => {
    expect(segmentName(10, parseLsn('0/1000000'))).toBe('0000000A0000000000000001')
  })
})
