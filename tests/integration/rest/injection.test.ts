import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { HOSTILE, NAMES, SECRET, functionCalled, hostileSchema, tableCalled } from './hostile.ts'
import { quoted } from './properties/printQuery.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(`${fixture}; ${hostileSchema}`)
})
afterAll(() => server?.stop())

const e = encodeURIComponent

/** The state that an injection would have changed. */
async function canary(): Promise<unknown> {
  const { rows } = await server.owner.query(`
    select
      (select string_agg(word, ',') from canary) as words,
      (select count(*) from pg_class where relnamespace = 'public'::regnamespace) as tables,
      (select count(*) from pg_proc where pronamespace = 'public'::regnamespace) as functions,
      (select md5(string_agg(r::text, ',' order by rolname)) from pg_roles r) as roles,
      (select md5(string_agg(g::text, ',' order by g::text)) from information_schema.role_table_grants g) as grants,
      (select count(*) from pg_db_role_setting) as settings`)
  return rows[0]
}

let before: unknown
beforeAll(async () => {
  before = await canary()
})
// Last, so that all tests are covered.
afterAll(async () => {
  expect(await canary()).toEqual(before)
  expect(server.logged).toEqual([])
})

it('detects an injection', async () => {
  await server.owner.query(`create table sprouted (id int)`)
  expect(await canary()).not.toEqual(before)
  await server.owner.query(`drop table sprouted`)
  await server.rest.reload()
})

type Place = [name: string, ask: (text: string) => [path: string, options?: RequestOptions]]

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const csv = { 'Content-Type': 'text/csv' }
/** All writes are rolled back. */
const trial = { Prefer: 'tx=rollback, return=representation' }

const IN_QUERIES: Place[] = [
  ['a table', (text) => [`/${e(text)}`]],
  ['a function', (text) => [`/rpc/${e(text)}`]],
  ['a function with arguments', (text) => [`/rpc/${e(text)}?${e(text)}=1`]],
  ['select', (text) => [`/odd?select=${e(text)}`]],
  ['a quoted column', (text) => [`/odd?select=${e(quoted(text))}`]],
  ['an alias', (text) => [`/odd?select=${e(`${quoted(text)}:id`)}`]],
  ['a cast', (text) => [`/odd?select=${e(`id::${text}`)}`]],
  ['a JSON key', (text) => [`/odd?select=${e(`doc->>${text}`)}`]],
  ['a quoted JSON key', (text) => [`/odd?select=${e(`doc->${quoted(text)}->>${quoted(text)}`)}`]],
  ['an aggregate', (text) => [`/odd?select=${e(`id.${text}()`)}`]],
  ['an embed', (text) => [`/projects?select=${e(`${quoted(text)}(id)`)}`]],
  ['a hint', (text) => [`/projects?select=${e(`clients!${quoted(text)}(id)`)}`]],
  ["an embed's alias", (text) => [`/projects?select=${e(`${quoted(text)}:clients(id)`)}`]],
  ["an embed's column", (text) => [`/projects?select=${e(`clients(${quoted(text)})`)}`]],
  ['a spread', (text) => [`/projects?select=${e(`...clients(${quoted(text)}:id)`)}`]],
  ["a filter's name", (text) => [`/odd?${e(text)}=eq.1`]],
  ["a filter's quoted name", (text) => [`/odd?${e(quoted(text))}=eq.1`]],
  ["a filter's embed", (text) => [`/projects?select=*,clients(*)&${e(quoted(text))}.id=eq.1`]],
  ["a filter's JSON key", (text) => [`/odd?${e(`doc->>${quoted(text)}`)}=eq.1`]],
  ['an operator', (text) => [`/odd?id=${e(`${text}.1`)}`]],
  ['a modifier', (text) => [`/odd?id=${e(`eq(${text}).1`)}`]],
  ['a language', (text) => [`/kinds?words=${e(`fts(${text}).bird`)}`]],
  ['words to search', (text) => [`/kinds?words=${e(`wfts.${text}`)}`]],
  ['a value', (text) => [`/kinds?text=${e(`eq.${text}`)}`]],
  ['a number', (text) => [`/odd?id=${e(`eq.${text}`)}`]],
  ['a pattern', (text) => [`/kinds?text=${e(`like.${text}`)}`]],
  ['an expression', (text) => [`/kinds?text=${e(`match.${text}`)}`]],
  ['a list', (text) => [`/kinds?text=${e(`in.(${text})`)}`]],
  ['a quoted element', (text) => [`/kinds?text=${e(`in.(${quoted(text)})`)}`]],
  ['an array', (text) => [`/kinds?tags=${e(`cs.{${text}}`)}`]],
  ['a range', (text) => [`/kinds?span=${e(`ov.[${text},)`)}`]],
  ['is', (text) => [`/odd?id=${e(`is.${text}`)}`]],
  ['a tree', (text) => [`/odd?or=${e(`(${text}.eq.1,id.eq.${text})`)}`]],
  ['a quoted tree', (text) => [`/odd?and=${e(`(${quoted(text)}.eq.${quoted(text)})`)}`]],
  ["a tree's name", (text) => [`/odd?${e(text)}.or=(id.eq.1)`]],
  ['order', (text) => [`/odd?order=${e(text)}`]],
  ['a quoted order', (text) => [`/odd?order=${e(`${quoted(text)}.desc.nullslast`)}`]],
  ['a direction', (text) => [`/odd?order=${e(`id.${text}`)}`]],
  ['a related order', (text) => [`/projects?select=*,clients(*)&order=${e(`clients(${quoted(text)})`)}`]],
  ['limit', (text) => [`/odd?limit=${e(text)}&offset=${e(text)}`]],
  ["an embed's limit", (text) => [`/projects?select=*,tasks(*)&tasks.limit=${e(text)}`]],
  ['an argument', (text) => [`/rpc/echo_text?${e(quoted(text))}=1`]],
  ["an argument's value", (text) => [`/rpc/joined?words=${e(text)}&words=${e(text)}`]],
  ['what is described', (text) => [`/?select=${e(text)}`]],
]

const post = (body: unknown, headers: Record<string, string> = {}): RequestOptions => ({
  method: 'POST',
  body,
  headers: { ...trial, ...headers },
})
const IN_BODIES: Place[] = [
  ['a key', (text) => ['/odd', post({ id: 1, [text]: 'x' })]],
  ['a value', (text) => ['/kinds', post({ id: 9, text, mood: text })]],
  ['a value inside', (text) => ['/odd', post({ id: 1, doc: { [text]: [text] } })]],
  [
    'a key that is left to defaults',
    (text) => ['/odd', post({ [text]: 1 }, { Prefer: `missing=default, ${trial.Prefer}` })],
  ],
  ['columns', (text) => [`/odd?columns=${e(text)}`, post({ id: 1 })]],
  ['quoted columns', (text) => [`/odd?columns=${e(`id,${quoted(text)}`)}`, post({ id: 1, [text]: text })]],
  [
    'on_conflict',
    (text) => [
      `/odd?on_conflict=${e(quoted(text))}`,
      post({ id: 1, [text]: text }, { Prefer: `resolution=merge-duplicates, ${trial.Prefer}` }),
    ],
  ],
  ['an update', (text) => ['/odd?id=eq.1', { ...post({ [text]: text }), method: 'PATCH' }]],
  ['a put', (text) => ['/odd?id=eq.1', { ...post({ id: 1, [text]: text }), method: 'PUT' }]],
  ['a CSV header', (text) => ['/odd', post(`id,"${text.replaceAll('"', '""')}"\n1,x`, csv)]],
  ['a bare CSV header', (text) => ['/odd', post(`id,${text}\n1,x`, csv)]],
  ['a CSV value', (text) => ['/kinds', post(`id,text\n9,"${text.replaceAll('"', '""')}"`, csv)]],
  ["a form's key", (text) => ['/odd', post(`id=1&${e(text)}=x`, form)]],
  ["a form's value", (text) => ['/kinds', post(`id=9&text=${e(text)}`, form)]],
  ['an argument', (text) => ['/rpc/add', post({ a: 1, [text]: 1 })]],
  ["an argument's value", (text) => ['/rpc/joined', post({ words: [text] })]],
  ['an argument of a form', (text) => ['/rpc/joined', post(`words=${e(text)}&${e(text)}=1`, form)]],
  ['the whole body', (text) => ['/rpc/echo_text', post(text, { 'Content-Type': 'text/plain' })]],
  ['no JSON', (text) => ['/odd', post(text)]],
]

/** Only texts that fetch can send. */
const IN_HEADERS: Place[] = [
  ['Prefer', (text) => ['/odd', { headers: { Prefer: `handling=strict, ${text}` } }]],
  ['a time zone', (text) => ['/odd', { headers: { Prefer: `timezone=${text}` } }]],
  [
    'max-affected',
    (text) => [
      '/odd?id=eq.1',
      { method: 'DELETE', headers: { Prefer: `handling=strict, max-affected=${text}` } },
    ],
  ],
  ['count', (text) => ['/odd', { headers: { Prefer: `count=${text}` } }]],
  ['Accept', (text) => ['/odd', { headers: { Accept: text } }]],
  [
    'a media type',
    (text) => ['/odd', { headers: { Accept: `application/vnd.pgrst.${text}+json; for="${text}"` } }],
  ],
  [
    'options of a plan',
    (text) => ['/odd', { headers: { Accept: `application/vnd.pgrst.plan+json; options=${text}|analyze` } }],
  ],
  ['Content-Type', (text) => ['/odd', post({ id: 1 }, { 'Content-Type': text })]],
  ['Range', (text) => ['/odd', { headers: { Range: text } }]],
  ['Range-Unit', (text) => ['/odd', { headers: { 'Range-Unit': text, Range: '0-1' } }]],
  ['a profile', (text) => ['/odd', { headers: { 'Accept-Profile': text } }]],
  ['a profile to write', (text) => ['/odd', post({ id: 1 }, { 'Content-Profile': text })]],
  ['a token', (text) => ['/odd', { headers: { Authorization: `Bearer ${text}` } }]],
]

/** Expects data or an error of PostgREST; never a failure or the secret text. */
function expectHarmless({ status, text, json, headers }: RestResponse): void {
  expect(status < 500 ? '' : `${status} ${text}`).toBe('')
  expect(text).not.toContain(SECRET)
  expect(JSON.stringify([...headers])).not.toContain(SECRET)
  if (status < 400) return
  expect(Object.keys(json as object).sort()).toEqual(['code', 'details', 'hint', 'message'])
}

async function expectAllHarmless(place: Place[1], texts: readonly string[]): Promise<void> {
  await Promise.all(
    texts.map(async (text) => {
      const [path, options] = place(text)
      expectHarmless(await server.request(path, options))
    }),
  )
}

describe('in a query', () => {
  it.each(IN_QUERIES)('%s', async (_name, place) => expectAllHarmless(place, HOSTILE))
})

describe('in a body', () => {
  it.each(IN_BODIES)('%s', async (_name, place) => expectAllHarmless(place, HOSTILE))
})

describe('in a header', () => {
  const sendable = HOSTILE.filter((text) => /^[\x21-\x7e][\x20-\x7e]*$/.test(text))
  it.each(IN_HEADERS)('%s', async (_name, place) => expectAllHarmless(place, sendable))

  it('headers and cookies are data', async () => {
    for (const text of sendable) {
      const response = await server.request('/rpc/settings', {
        headers: { 'X-Own': text, Cookie: `a=${text.replaceAll(';', '')}` },
      })
      const { headers, cookies } = response.json as {
        headers: Record<string, string>
        cookies: Record<string, string>
      }
      expect([headers['x-own'], cookies.a]).toEqual([text.trim(), text.replaceAll(';', '').trim()])
    }
  })
})

describe('in a claim', () => {
  it('is data', async () => {
    for (const text of HOSTILE) {
      const claims = { role: 'authenticated', name: text, [text]: text }
      const response = await server.request('/rpc/settings', { claims })
      expect(response.json).toMatchObject({ claims: { name: text } })
      expect((await server.request('/notes', { claims })).json).toEqual([])
    }
  })

  it('as a role is refused', async () => {
    const roles = [...NAMES, 'postgres', 'supabase_admin', 'pg_read_all_data', 'none', 'None', '', 'public']
    for (const role of roles) {
      const response = await server.request('/canary', { claims: { role } })
      expectHarmless(response)
      expect([401, 403]).toContain(response.status)
    }
  })
})

describe('as a name', () => {
  it('columns are returned unchanged', async () => {
    for (const [index, name] of NAMES.entries()) {
      const id = index + 1
      const made = await server.request('/odd?select=' + e(`id,${quoted(name)}`), {
        method: 'POST',
        body: { id, [name]: name },
        headers: { Prefer: 'return=representation' },
      })
      expect(made.json).toEqual([
        Object.fromEntries([
          ['id', id],
          [name, name],
        ]),
      ])
      const column = e(quoted(name))
      const path = `/odd?select=${column}&${column}=eq.${e(name)}&order=${column}&and=(${column}.eq.${column})`
      expect((await server.request(path)).json).toEqual([Object.fromEntries([[name, name]])])
      const changed = await server.request(
        `/odd?${column}=eq.${e(name)}&select=${column}&columns=${column}`,
        {
          method: 'PATCH',
          body: { [name]: `${name}!` },
          headers: { Prefer: 'return=representation' },
        },
      )
      expect(changed.json).toEqual([Object.fromEntries([[name, `${name}!`]])])
      const upserted = await server.request(`/odd?on_conflict=${column}&select=id`, {
        method: 'POST',
        body: { id, [name]: `${name}!` },
        headers: { Prefer: 'return=representation, resolution=merge-duplicates' },
      })
      expect([upserted.status, upserted.json]).toEqual([200, [{ id }]])
    }
  })

  it('aliases are returned unchanged', async () => {
    for (const name of NAMES) {
      const response = await server.request(`/clients?select=${e(`${quoted(name)}:id`)}&id=eq.1`)
      expect(response.json).toEqual([Object.fromEntries([[name, 1]])])
      const embedded = await server.request(`/projects?select=${e(`${quoted(name)}:clients(id)`)}&id=eq.1`)
      expect(embedded.json).toEqual([Object.fromEntries([[name, { id: 1 }]])])
    }
  })

  it('tables and functions are found', async () => {
    for (const [index, name] of NAMES.entries()) {
      const made = await server.request(`/${e(tableCalled(index))}`, {
        method: 'POST',
        body: { id: 1, [name]: name },
        headers: { Prefer: 'return=headers-only' },
      })
      expect(made.status).toBe(201)
      const location = made.headers.get('Location')!
      expect((await server.request(location)).json).toEqual([
        Object.fromEntries([
          ['id', 1],
          [name, name],
        ]),
      ])
      const path = `/rpc/${e(functionCalled(index))}`
      expect((await server.request(path, { method: 'POST', body: { [name]: name } })).json).toBe(name)
      expect((await server.request(`${path}?${e(quoted(name))}=${e(name)}`)).json).toBe(name)
    }
  })
})
