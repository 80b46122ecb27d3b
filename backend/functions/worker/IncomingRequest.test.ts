import { beforeAll, expect, it } from 'vitest'
import { IncomingRequest, installRequest } from './IncomingRequest.ts'
import { RequestBody } from './RequestBody.ts'

beforeAll(installRequest)

const head = [
  'POST',
  'http://house/echo?a=b',
  '127.0.0.1 1234',
  'content-type',
  'application/json',
  'x-a',
  'b',
]

const incoming = (text: string | null, method = 'POST'): Request =>
  new IncomingRequest(
    [method, ...head.slice(1)],
    text === null ? null : RequestBody.of(Buffer.from(text)),
  ) as unknown as Request

it('has the common members itself, and all others by a native request', async () => {
  const request = incoming('{"a":1}')
  expect(request).toBeInstanceOf(Request)
  expect([request.method, request.url, request.headers.get('x-a')]).toEqual(['POST', head[1], 'b'])
  expect(request.bodyUsed).toBe(false)
  expect(await request.json()).toEqual({ a: 1 })
  expect(request.bodyUsed).toBe(true)
  await expect(request.text()).rejects.toThrow(TypeError)
  expect(incoming('x').redirect).toBe('follow')
  expect(incoming(null, 'GET').body).toBeNull()
})

it.each([
  ['text', 'words'],
  ['arrayBuffer', new TextEncoder().encode('words').buffer],
] as const)('reads its body by %s, before and after it became a native one', async (how, what) => {
  expect(await incoming('words')[how]()).toEqual(what)
  const native = incoming('words')
  expect(native.body).toBeInstanceOf(ReadableStream)
  expect(await native[how]()).toEqual(what)
})

it('a request can be cloned, wrapped and sent on', async () => {
  const request = incoming('words')
  expect(await request.clone().text()).toBe('words')
  const wrapped = new Request(request, { headers: { 'x-new': 'c' } })
  expect([wrapped.method, wrapped.headers.get('x-new'), await wrapped.text()]).toEqual(['POST', 'c', 'words'])
  const streamed = new Request('http://house/', { method: 'POST', body: new Blob(['words']).stream() })
  expect(await streamed.text()).toBe('words')
})

it('fails readers and aborts the signal when its client disconnects', async () => {
  const body = new RequestBody(() => {})
  const request = new IncomingRequest(head, body)
  const reading = request.text()
  body.push(Buffer.from('half'))
  request.onDisconnect()
  await expect(reading).rejects.toThrow('The client has disconnected')
  expect(request.signal.aborted).toBe(true)
})

it('grants credit only as it is read', async () => {
  let taken = 0
  const body = new RequestBody((bytes) => {
    taken += bytes
  })
  const request = new IncomingRequest(head, body) as unknown as Request
  const reader = request.body!.getReader()
  body.push(Buffer.from('abc'))
  body.push(Buffer.from('de'))
  expect(taken).toBe(0)
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('abc')
  expect(taken).toBe(3)
  body.end()
  await reader.read()
  expect((await reader.read()).done).toBe(true)
})
