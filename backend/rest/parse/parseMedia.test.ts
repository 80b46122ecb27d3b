import { describe, expect, it } from 'vitest'
import { parseAccept, parseMedia } from './parseMedia.ts'

describe('parseMedia', () => {
  const named = (text: string): [kind: string, mime: string] => {
    const { kind, mime } = parseMedia(text)
    return [kind, mime]
  }

  it('recognizes the types of PostgREST, case-insensitively and with any parameters', () => {
    expect(named('application/JSON; charset=utf-8')).toEqual(['json', 'application/json'])
    expect(named('application/json; $$ odd = parameters $$')).toEqual(['json', 'application/json'])
    expect(named('application/geo+json')).toEqual(['geojson', 'application/geo+json'])
    expect(named('text/csv;version=1')).toEqual(['csv', 'text/csv'])
    expect(named('*/*')).toEqual(['any', '*/*'])
  })

  it('recognizes the vendor types with and without their suffix', () => {
    const object = 'application/vnd.pgrst.object+json'
    for (const name of ['application/vnd.pgrst.object', 'Application/Vnd.PgRst.Object+JSON']) {
      expect(named(name)).toEqual(['object', object])
      expect(named(`${name}; nulls="stripped"`)).toEqual(['object-stripped', `${object};nulls=stripped`])
      expect(named(`${name};a=b;NULLS = stripped`)).toEqual(['object-stripped', `${object};nulls=stripped`])
      expect(named(`${name};nulls=STRIPPED`)).toEqual(['object', object])
    }
    expect(named('application/vnd.pgrst.array')).toEqual(['json', 'application/json'])
    expect(named('application/vnd.pgrst.array;nulls=stripped')).toEqual([
      'array-stripped',
      'application/vnd.pgrst.array+json;nulls=stripped',
    ])
    expect(named('application/vnd.pgrst.other')).toEqual(['other', 'application/vnd.pgrst.other'])
  })

  it('returns other types unchanged', () => {
    for (const text of ['image/png', 'Text/HTML;level=1', 'constructor', 'a/', '', '/', 'ü/ü']) {
      expect(named(text)).toEqual(['other', text])
    }
  })

  it('parses the media type of a plan, and its options in order', () => {
    const { mime, plan } = parseMedia(
      'application/vnd.pgrst.plan+json; for="text/csv"; options=wal|analyze|made-up|buffers',
    )
    expect(mime).toBe('application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|buffers|wal')
    expect([plan?.of.kind, plan?.explain]).toEqual([
      'csv',
      { format: 'json', options: ['analyze', 'buffers', 'wal'] },
    ])
    for (const text of ['', '+text', ';', '+text; for=']) {
      expect(named(`application/vnd.pgrst.plan${text}`)).toEqual([
        'plan',
        'application/vnd.pgrst.plan+text; for="application/json"',
      ])
    }
    expect(named('application/vnd.pgrst.plan+xml')).toEqual(['other', 'application/vnd.pgrst.plan+xml'])
  })
})

describe('parseAccept', () => {
  const kinds = (header: string | undefined): string[] => parseAccept(header).map(({ kind }) => kind)

  it('sorts by weight, and keeps the order of equal ones', () => {
    expect(kinds('text/csv;q=0.2, application/json;q=0.9,*/*;q=0.1')).toEqual(['json', 'csv', 'any'])
    expect(kinds('text/csv, application/json')).toEqual(['csv', 'json'])
    expect(kinds('text/csv;q=0.5;a=b, text/xml; q = 0.6')).toEqual(['xml', 'csv'])
    expect(kinds('text/csv;q=x, text/xml;q=0.9')).toEqual(['csv', 'xml'])
    expect(kinds(undefined)).toEqual(['any'])
  })

  it('prefers more specific types', () => {
    expect(kinds('*/*, text/csv')).toEqual(['csv', 'any'])
    expect(kinds('application/json, application/vnd.pgrst.object;nulls=stripped')).toEqual([
      'object-stripped',
      'json',
    ])
  })
})
