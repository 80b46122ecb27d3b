import { describe, expect, it } from 'vitest'
import type { RestError } from '../errors.ts'
import { parseMedia } from '../parse/parseMedia.ts'
import { keyOf } from '../schemaCache/qualifiedName.ts'
import type { Parameter, Routine, SchemaCache } from '../schemaCache/schemaCache.ts'
import { findRoutine } from './findRoutine.ts'

/** `a int`, `b int?` (with a default), `json` (without a name). */
function parameter(written: string): Parameter {
  const [name, type] = written.includes(' ') ? (written.split(' ') as [string, string]) : ['', written]
  const plain = type.replace('?', '')
  return { name, type: plain, readAs: plain, isRequired: plain === type, isVariadic: false }
}

function routine(name: string, written: string[], roles = ['anon']): Routine {
  return {
    schema: 'public',
    name,
    parameters: written.map(parameter),
    isSet: false,
    isComposite: false,
    isVoid: false,
    media: null,
    returns: { schema: 'pg_catalog', name: 'int4' },
    volatility: 'volatile',
    settings: {},
    oid: '0',
    isolation: null,
    roles,
  }
}

function cacheOf(routines: Routine[]): SchemaCache {
  const byName = new Map<string, Routine[]>()
  for (const each of routines) {
    const key = keyOf('public', each.name)
    byName.set(key, [...(byName.get(key) ?? []), each])
  }
  return { routines: byName } as unknown as SchemaCache
}

const cache = cacheOf([
  routine('send', []),
  routine('send', ['body text']),
  routine('send', ['body text', 'room int', 'at date?']),
  routine('take', ['json']),
  routine('take', ['text']),
  routine('take', ['bytea']),
  routine('both', ['json']),
  routine('both', ['jsonb']),
  routine('same', ['arg int']),
  routine('same', ['arg text', 'more int?']),
  routine('secret_thing', ['a int'], ['service_role']),
])

function find(name: string, given: string[], o: { type?: string; method?: 'GET' | 'POST' } = {}): string {
  const content = parseMedia(o.type ?? 'application/json')
  const isPost = o.method !== 'GET'
  const types: Record<string, string[]> = {
    json: ['json', 'jsonb'],
    text: ['text'],
    xml: ['xml'],
    octets: ['bytea'],
  }
  const bodyTypes = isPost ? (types[content.kind] ?? []) : []
  try {
    const found = findRoutine({
      cache,
      named: { schema: 'public', name },
      role: 'anon',
      given,
      bodyTypes,
    })
    return found.parameters.map((each) => `${each.name} ${each.type}`.trim()).join(', ')
  } catch (error) {
    const { code, message, details, hint } = (error as RestError).body
    return [code, message, details, hint].join('\n')
  }
}

describe('findRoutine', () => {
  it('selects by given and required argument names', () => {
    expect(find('send', [])).toBe('')
    expect(find('send', ['body'])).toBe('body text')
    expect(find('send', ['room', 'body'])).toBe('body text, room int, at date')
    expect(find('send', ['at', 'body', 'room'])).toBe('body text, room int, at date')
    expect(find('send', ['room'])).toMatch('PGRST202')
    expect(find('send', ['body', 'more'])).toMatch('PGRST202')
  })

  it('falls back to the function that takes the whole body, for POST only', () => {
    expect(find('take', ['a'])).toBe('json')
    expect(find('take', [], { type: 'text/plain' })).toBe('text')
    expect(find('take', [], { type: 'application/octet-stream' })).toBe('bytea')
    expect(find('take', [], { type: 'text/xml' })).toMatch('PGRST202')
    expect(find('take', [], { method: 'GET' })).toMatch('PGRST202')
    expect(find('send', [], { type: 'text/plain' })).toMatch('PGRST202')
    expect(find('send', [], { type: 'text/plain', method: 'GET' })).toBe('')
  })

  it('lists ambiguous candidates', () => {
    expect(find('same', ['arg'])).toMatch(
      'Could not choose the best candidate function between: public.same(arg => int), public.same(arg => text, more => int)',
    )
    expect(find('both', ['a'])).toMatch('PGRST203')
  })

  it('describes the function it searched for', () => {
    expect(find('send', ['room', 'to'], { method: 'GET' }).split('\n')).toEqual([
      'PGRST202',
      'Could not find the function public.send(room, to) in the schema cache',
      'Searched for the function public.send with parameters room, to, but no matches were found in the schema cache.',
      expect.any(String),
    ])
    expect(find('sends', []).split('\n').slice(1)).toEqual([
      'Could not find the function public.sends without parameters in the schema cache',
      'Searched for the function public.sends without parameters or with a single unnamed json/jsonb parameter, ' +
        'but no matches were found in the schema cache.',
      'Perhaps you meant to call the function public.send',
    ])
    expect(find('send', [], { type: 'text/xml' }).split('\n').slice(1)).toEqual([
      'Could not find the function public.send in the schema cache',
      'Searched for the function public.send with a single unnamed xml parameter, but no matches were found in the schema cache.',
      '',
    ])
  })

  it('suggests only functions that the caller can execute', () => {
    expect(find('secret_thin', ['a'])).not.toMatch('secret_thing')
    expect(find('secret_thing', ['b'])).not.toMatch('Perhaps')
    expect(find('send', ['bodi'])).toMatch('Perhaps you meant to call the function public.send(body)')
  })
})
