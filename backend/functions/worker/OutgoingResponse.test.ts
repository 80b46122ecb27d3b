import { beforeAll, describe, expect, it } from 'vitest'
import { installResponse, partsOf } from './OutgoingResponse.ts'

const Native = globalThis.Response

beforeAll(installResponse)

const cases: [string, unknown, ResponseInit | undefined][] = [
  ['text', 'words', undefined],
  ['empty text', '', {}],
  ['text with a type', 'a', { headers: { 'Content-Type': 'text/html' } }],
  ['bytes', new Uint8Array([1, 2, 3]), { status: 201, statusText: 'Made' }],
  ['a buffer', new Uint8Array([1, 2, 3]).buffer, { headers: [['x-a', '1']] }],
  ['nothing', null, { status: 204 }],
  ['a form', new URLSearchParams({ a: 'b' }), undefined],
  [
    'headers of another',
    'a',
    {
      headers: new Headers([
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ]),
    },
  ],
  ['untidy values', 'a', { headers: { 'X-A': '  padded ', 'x-b': 'ü' } }],
  ['a failure', 'a', { status: 500 }],
]

it.each(cases)('is the same as of the platform: %s', async (_, body, init) => {
  const ours = new Response(body as string, init)
  const theirs = new Native(body as string, init)
  expect(ours).toBeInstanceOf(Response)
  expect(theirs).toBeInstanceOf(Response)
  for (const name of ['status', 'statusText', 'ok', 'type', 'url', 'redirected', 'bodyUsed'] as const) {
    expect(ours[name]).toBe(theirs[name])
  }
  const parts = partsOf(ours)
  expect(parts.status).toBe(theirs.status)
  const pairs = parts.headers.flatMap((name, i) => (i % 2 === 0 ? [[name, parts.headers[i + 1]]] : []))
  expect(pairs.sort()).toEqual([...theirs.headers].sort())
  expect([...ours.headers]).toEqual([...theirs.headers])
  expect(await ours.clone().text()).toBe(await theirs.clone().text())
  expect(await ours.text()).toBe(await theirs.text())
  expect(ours.bodyUsed).toBe(theirs.bodyUsed)
})

it.each([
  ['status', 'a', { status: 99 }],
  ['status that has no body', 'a', { status: 204 }],
  ['status text', 'a', { statusText: 'a\nb' }],
  ['header name', 'a', { headers: { 'a b': 'c' } }],
  ['header value', 'a', { headers: { a: 'b\r\nc: d' } }],
] as [string, string, ResponseInit][])('refuses what the platform refuses: %s', (_, body, init) => {
  const kind = init.status === 99 ? RangeError : TypeError
  expect(() => new Native(body, init)).toThrow(kind)
  expect(() => new Response(body, init)).toThrow(kind)
})

describe('parts', () => {
  it('contain later changes of headers, and throw for a body that was read', async () => {
    const response = Response.json({ a: 1 }, { status: 202, headers: { 'x-a': 'b' } })
    response.headers.append('set-cookie', 'a=1')
    response.headers.append('set-cookie', 'b=2')
    const { status, headers, body } = partsOf(response)
    expect([status, body]).toEqual([202, '{"a":1}'])
    expect(headers.filter((_, i) => headers[i - 1] === 'set-cookie')).toEqual(['a=1', 'b=2'])
    expect(headers).toContain('application/json')
    await response.text()
    expect(() => partsOf(response)).toThrow('already been read')
  })

  it('do not change when the function changes its buffer', () => {
    const bytes = new Uint8Array([1])
    const response = new Response(bytes)
    bytes[0] = 2
    expect(partsOf(response).body).toEqual(new Uint8Array([1]))
  })

  it('can be taken from subclasses and native responses', () => {
    class Page extends Response {}
    expect(partsOf(new Page('words')).body).toBe('words')
    expect(new Page('words')).toBeInstanceOf(Page)
    expect(new Response('words')).not.toBeInstanceOf(Page)
    expect(partsOf(new Native('words')).body).toBeInstanceOf(ReadableStream)
  })
})
