import { describe, expect, it } from 'vitest'
import { parsePreferences } from './parsePreferences.ts'
import { parseRange } from './parseRange.ts'

describe('parsePreferences', () => {
  it('uses the first of each, and collects unknown ones', () => {
    expect(
      parsePreferences('count=exact,   tx=commit,count=planned, foo, max-affected=3, timezone=Europe/Vienna'),
    ).toMatchObject({
      count: 'exact',
      tx: 'commit',
      maxAffected: 3,
      timezone: 'Europe/Vienna',
      invalid: ['foo'],
    })
    expect(parsePreferences('return=everything, constructor=x, max-affected=x').invalid).toEqual([
      'return=everything',
      'constructor=x',
    ])
    expect(parsePreferences(undefined).count).toBeNull()
  })
})

describe('parseRange', () => {
  it('combines the header with the parameters, for GET only', () => {
    expect(parseRange('GET', undefined, '10-19')).toEqual({ offset: 10, limit: 10 })
    expect(parseRange('GET', undefined, '10-')).toEqual({ offset: 10, limit: null })
    expect(parseRange('GET', { offset: 5, limit: 10 }, '0-9')).toEqual({ offset: 5, limit: 5 })
    expect(parseRange('POST', undefined, '10-19')).toBeNull()
    expect(parseRange('GET', undefined, 'bytes=0-1')).toBeNull()
    expect(parseRange('GET', { offset: 3, limit: 0 }, '0-9')).toEqual({ offset: 0, limit: 0 })
    expect(() => parseRange('GET', undefined, '9-3')).toThrow('Requested range not satisfiable')
    expect(() => parseRange('GET', { offset: 0, limit: -1 }, undefined)).toThrow(
      'Requested range not satisfiable',
    )
  })
})
