import { describe, expect, it } from 'vitest'
import { RestError } from '../errors.ts'
import { parseBody, shapeOfBody } from './parseBody.ts'
import { parseMedia } from './parseMedia.ts'

const json = parseMedia('application/json')
const csv = parseMedia('text/csv')
const form = parseMedia('application/x-www-form-urlencoded')
const rows = (text: string, columns: string[] | null = null, media = json) =>
  parseBody(Buffer.from(text), media, { isCall: false, columns })
const call = (text: string, media = json) =>
  parseBody(Buffer.from(text), media, { isCall: true, columns: null })

function errorOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof RestError && error.body.code === 'PGRST102') return error.message
    throw error
  }
  return 'taken'
}

describe('a JSON body', () => {
  it('contains the keys of its rows', () => {
    expect(rows('{"b":1,"a":2}')).toMatchObject({ text: '{"b":1,"a":2}', isObject: true, keys: ['a', 'b'] })
    expect(rows('[{"a":1},{"a":2}]').keys).toEqual(['a'])
    expect(rows('{"__proto__":1}').keys).toEqual(['__proto__'])
    expect(rows('[]').keys).toEqual([])
    expect(rows(' \n{"a":', ['a'])).toMatchObject({ isObject: true, keys: ['a'] })
  })

  it('is passed on unchanged, including numbers and repeated keys', () => {
    const text = '{ "a" : 12345678901234567890.10 , "b" : 1e400, "b": 2 }'
    expect(rows(text)).toMatchObject({ text, keys: ['a', 'b'] })
  })

  it('is refused unless it contains rows', () => {
    const invalid = 'Empty or invalid json'
    const unequal = 'All object keys must match'
    expect(['', '{', '{"a":1}{'].map((text) => errorOf(() => rows(text)))).toEqual([
      invalid,
      invalid,
      invalid,
    ])
    for (const text of ['[{"a":1},{"b":1}]', '[{"a":1},{"a":1,"b":2}]', '[1,2]', '[{"a":1},null]']) {
      expect([text, errorOf(() => rows(text))]).toEqual([text, unequal])
    }
    const broken = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    expect(errorOf(() => parseBody(broken, json, { isCall: false, columns: null }))).toBe(invalid)
    expect(errorOf(() => rows('a', null, parseMedia('text/plain')))).toBe(
      'Content-Type not acceptable: text/plain',
    )
  })

  it('has no rows if it is a scalar', () => {
    for (const text of ['null', '1', '"a"', 'true'])
      expect(rows(text)).toMatchObject({ text: '[]', keys: [] })
  })
})

describe('a CSV body', () => {
  const read = (text: string): unknown => JSON.parse(String(rows(text, null, csv).text))

  it('becomes JSON rows of strings', () => {
    expect(read('a,b\n1,x\n2,y')).toEqual([
      { a: '1', b: 'x' },
      { a: '2', b: 'y' },
    ])
    expect(rows('b,a\n1,2', ['b'], csv).keys).toEqual(['a', 'b'])
    expect(read('a,b\r\n1,\r\n')).toEqual([{ a: '1', b: '' }])
    expect(read('"a","b c"\n"x, ""y""\r\nz","\t\\"')).toEqual([{ a: 'x, "y"\r\nz', 'b c': '\t\\' }])
    expect(read('a,b\nNULL,"NULL"')).toEqual([{ a: null, b: null }])
    expect(read('a\n1\n\n2\n\n')).toEqual([{ a: '1' }, { a: '2' }])
    expect(read('a,b\n1,2,3')).toEqual([{ a: '1', b: '2' }])
  })

  it('preserves long fields with any characters', () => {
    for (const value of [
      'x'.repeat(100_000),
      '"'.repeat(99_999),
      '\u0001'.repeat(100_000),
      'ü"\n'.repeat(30_001),
    ]) {
      expect(read(`a,b\n"${value.replaceAll('"', '""')}",z`)).toEqual([{ a: value, b: 'z' }])
    }
  })

  it('is refused if a long header would be repeated in too many rows', () => {
    const text = `${'a'.repeat(1_000_000)}\n${'1\n'.repeat(100)}`
    expect(errorOf(() => rows(text, null, csv))).toBe('Request body too large')
  })

  it('has no rows if there is only a header', () => {
    expect(rows('a,b\n', null, csv)).toMatchObject({ text: '[]', keys: [] })
  })

  it('has as many columns as its lines, which must have equal length', () => {
    expect(rows('a,b\n1\n2', null, csv).keys).toEqual(['a'])
    for (const text of ['a,b\n1,2\n3', 'a,b\n1\n2,3']) {
      expect(errorOf(() => rows(text, null, csv))).toBe('All lines must have same number of fields')
    }
  })

  it('is refused if it is invalid', () => {
    expect(errorOf(() => rows('', null, csv))).toBe('parse error (not enough input) at ""')
    expect(errorOf(() => rows('a,b', null, csv))).toBe('parse error (not enough input) at ""')
    expect(errorOf(() => rows('a\nb"c"\n', null, csv))).toBe(
      String.raw`parse error (endOfInput) at "\"c\"\n"`,
    )
    expect(errorOf(() => rows('a\n"b"c\n', null, csv))).toBe(String.raw`parse error (endOfInput) at "c\n"`)
    expect(errorOf(() => rows('a\n"b', null, csv))).toMatch('parse error')
  })

  it('preserves names and values that look like syntax', () => {
    expect(read('__proto__,"a"":1,""b"\nx,"}{"')).toEqual([
      Object.fromEntries([
        ['__proto__', 'x'],
        ['a":1,"b', '}{'],
      ]),
    ])
    expect(read('a\n\u0000\u2028"'.replace('"', ''))).toEqual([{ a: '\u0000\u2028' }])
  })
})

describe('a form', () => {
  it('is one row of strings for a table', () => {
    expect(rows('a=1&b=x+%C3%BC&a=2', ['b'], form)).toMatchObject({
      text: '{"a":"2","b":"x ü"}',
      isObject: true,
      keys: ['a', 'b'],
    })
  })

  it('contains the arguments of a function, with repetitions', () => {
    const body = call('v=1&v=2&w=', form)
    expect(body).toMatchObject({
      keys: ['v', 'w'],
      form: [
        ['v', '1'],
        ['v', '2'],
        ['w', ''],
      ],
    })
    expect(shapeOfBody(body)).not.toBe(shapeOfBody(call('v=1&w=', form)))
    expect(shapeOfBody(body)).toBe(shapeOfBody(call('v=3&v=4&w=x', form)))
  })
})

describe('a form that is too large', () => {
  it.each([
    ['a=1&'.repeat(10_000), 'A form has at most 10000 fields'],
    ['x'.repeat(1_048_577), 'Request body too large'],
  ])('is refused before its fields are read', (text, message) => {
    expect(errorOf(() => call(text, form))).toBe(message)
    expect(errorOf(() => rows(text, null, form))).toBe(message)
  })
})

describe('a body for a function', () => {
  it('is an empty object if it is empty', () => {
    expect(call('')).toMatchObject({ text: '{}', isObject: true, keys: [] })
  })

  it('is passed on as bytes if it is not parsed', () => {
    const bytes = Buffer.from([0, 255, 128])
    for (const type of ['text/plain', 'text/xml', 'application/octet-stream']) {
      expect(parseBody(bytes, parseMedia(type), { isCall: true, columns: null }).text).toBe(bytes)
    }
  })
})
