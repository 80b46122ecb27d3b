import { describe, expect, it } from 'vitest'
import { parseAccept } from '../parse/parseMedia.ts'
import { indexHandlers } from '../schemaCache/mediaHandlers.ts'
import type { MediaHandler } from '../schemaCache/mediaHandlers.ts'
import { negotiate } from './negotiate.ts'
import type { Offer } from './negotiate.ts'
import type { ReadNode } from './plan.ts'

const tasks = { schema: 'public', name: 'tasks' }

function handler(mime: string, name: string, row: MediaHandler['row'] = null): MediaHandler {
  return { mime, isBytes: false, routine: { schema: 'public', name }, row }
}

function selecting(...names: string[]): ReadNode {
  return { fields: names.map((name) => ({ field: { name } })), embeds: [] } as unknown as ReadNode
}

/** The media type of the response, and its renderer. */
function chosen(accept: string, handlers: MediaHandler[], o: Partial<Offer> = {}): [string, string] {
  const { rendering, media } = negotiate(parseAccept(accept), {
    handlers: indexHandlers({ handlers, feature: null }),
    target: tasks,
    routine: null,
    root: selecting('*'),
    needsBody: true,
    planEnabled: true,
    ...o,
  })
  return [media.mime, rendering.kind === 'aggregate' ? rendering.handler.routine.name : rendering.kind]
}

describe('negotiate', () => {
  const ofTable = [handler('*/*', 'all', tasks), handler('text/csv', 'table_csv', tasks)]
  const ofAny = [handler('text/csv', 'any_csv'), handler('Text/Own', 'any_own'), handler('*/*', 'any')]

  it("prefers the table's handler for all types, the table's for the type, any row's for the type, then the built-in", () => {
    expect(chosen('text/csv', [...ofTable, ...ofAny])).toEqual(['application/octet-stream', 'all'])
    expect(chosen('text/csv', [ofTable[1]!, ...ofAny])).toEqual(['text/csv', 'table_csv'])
    expect(chosen('text/csv', ofAny)).toEqual(['text/csv', 'any_csv'])
    expect(chosen('text/csv', [])).toEqual(['text/csv', 'csv'])
    expect(chosen('*/*', ofAny)).toEqual(['application/octet-stream', 'any'])
    expect(chosen('application/json', ofAny)).toEqual(['application/json', 'array'])
  })

  it("ignores the table's handlers unless whole rows are selected", () => {
    for (const root of [selecting('id'), selecting('*', 'id'), selecting()]) {
      expect(chosen('text/csv', [...ofTable, ...ofAny], { root })).toEqual(['text/csv', 'any_csv'])
    }
  })

  it('matches case-insensitively and with any parameters, and uses the name in the database', () => {
    expect(chosen('TEXT/own; level=1', ofAny)).toEqual(['Text/Own', 'any_own'])
  })

  it('does not let handlers override the vendor types', () => {
    const taken = [handler('application/vnd.pgrst.object+json', 'own', tasks), ...ofTable]
    expect(chosen('application/vnd.pgrst.object', taken)[1]).toBe('object')
    expect(chosen('application/vnd.pgrst.array;nulls=stripped', taken)[1]).toBe('array')
  })

  it('renders nothing if no body is sent, but names the type', () => {
    expect(chosen('text/csv', ofAny, { needsBody: false })).toEqual(['text/csv', 'none'])
  })

  it('skips unavailable types, or lists all of them in the error', () => {
    expect(chosen('image/png, application/geo+json, text/csv;q=0.1', [])).toEqual(['text/csv', 'csv'])
    expect(() => chosen('image/png;q=0.1, text/plain', [])).toThrow(
      'None of these media types are available: text/plain, image/png',
    )
    const plan = 'application/vnd.pgrst.plan'
    expect(chosen(plan, ofAny)[1]).toBe('array')
    expect(() => chosen(plan, ofAny, { planEnabled: false })).toThrow('None of these media types')
  })
})
