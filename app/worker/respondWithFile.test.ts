import { expect, it, vi } from 'vitest'
import { respondWithFile } from './respondWithFile.ts'
import type { FetchContext } from './respondWithFile.ts'

const file = { path: 'channel/upload/file', name: 'a.mp4', download: false }
const access = { url: 'https://backend.example', key: 'key', token: 'first' }

function createFixture(answers: (Response | Error)[], o: Partial<FetchContext> = {}) {
  const requests: Request[] = []
  const context: FetchContext = {
    storageAccess: vi.fn<FetchContext['storageAccess']>(async (refused) => ({
      ...access,
      token: refused === null ? 'first' : 'second',
    })),
    fetch: async (input, init) => {
      requests.push(new Request(input, init))
      const answer = answers.shift()
      if (!answer || answer instanceof Error) throw answer ?? new Error('an unexpected request')
      return answer
    },
    signal: new AbortController().signal,
    ...o,
  }
  const sendRequest = (
    init: RequestInit = {},
    destination: RequestDestination = 'video',
    download = false,
  ) => {
    const { method, headers, signal } = new Request('https://chat.example/attached/x', init)
    return respondWithFile({ ...file, download }, { method, headers, signal, destination }, context)
  }
  return { sendRequest, requests, means: context }
}

const jsonResponse = (status: number, body: unknown = {}) => Response.json(body, { status })

it('requests storage with the reader’s own token, and forwards a partial response', async () => {
  const part = new Response('cde', {
    status: 206,
    headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 2-4/12', 'content-length': '3' },
  })
  const { sendRequest, requests } = createFixture([part])
  const answer = await sendRequest({ headers: { range: 'bytes=2-4', cookie: 'a=b', 'x-other': '1' } })
  expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
    206,
    'bytes 2-4/12',
    'cde',
  ])
  const [request] = requests
  expect(request!.url).toBe(
    'https://backend.example/storage/v1/object/authenticated/files/channel/upload/file',
  )
  expect(Object.fromEntries(request!.headers)).toEqual({
    apikey: 'key',
    authorization: 'Bearer first',
    range: 'bytes=2-4',
  })
  expect([request!.cache, request!.credentials]).toEqual(['no-cache', 'omit'])
})

it.each([
  ['401', jsonResponse(401)],
  ['a 400 that means it', jsonResponse(400, { statusCode: '403', message: 'jwt expired' })],
])('asks once more with another token after %s', async (_what, refusal) => {
  const {
    sendRequest,
    requests,
    means: context,
  } = createFixture([refusal, new Response('a', { headers: { 'content-type': 'video/mp4' } })])
  expect((await sendRequest()).status).toBe(200)
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer first',
    'Bearer second',
  ])
  expect(context.storageAccess).toHaveBeenLastCalledWith('first')
})

it('sends no third request', async () => {
  const { sendRequest, requests } = createFixture([jsonResponse(401), jsonResponse(401), jsonResponse(401)])
  expect([(await sendRequest()).status, requests.length]).toEqual([404, 2])
})

it.each([
  ['gone or hidden', jsonResponse(400, { statusCode: '404', message: 'Object not found' }), 404],
  ['gone in newer words', jsonResponse(404), 404],
  ['a fault there', jsonResponse(500), 503],
  ['too often', jsonResponse(429), 503],
  ['no line', new TypeError('Failed to fetch'), 503],
])('responds with a status and no body: %s', async (_what, answer, status) => {
  const response = await createFixture([answer]).sendRequest()
  expect([response.status, await response.text()]).toEqual([status, ''])
})

it.each([
  ['text/plain', '<!doctype html><script>alert(1)</script>'],
  ['text/plain; charset=utf-8', '<?xml version="1.0"?><svg/>'],
  ['image/png', '\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['application/pdf', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
])('saves a document that storage shows as %s', async (type, body) => {
  const shown = new Response(body, { headers: { 'content-type': type } })
  const answer = await createFixture([shown]).sendRequest({}, 'iframe')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /)
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
    'application/octet-stream',
    body,
  ])
})

it('shows a text of which the head was read whole, in the chunks that storage sent', async () => {
  const chunks = ['<3 ', 'b'.repeat(600), 'c'.repeat(70_000), 'end']
  const body = new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(chunk))
    },
  })
  const answer = await createFixture([
    new Response(body, { headers: { 'content-type': 'text/plain' } }),
  ]).sendRequest({}, 'iframe')
  expect(answer.headers.get('content-disposition')).toMatch(/^inline; /)
  expect(await answer.text()).toBe(`<3 ${'b'.repeat(600)}${'c'.repeat(70_000)}end`)
})

it('names the length where no such part is', async () => {
  const cached = new Response(null, { status: 416, headers: { 'content-range': 'bytes 0-0/12' } })
  const answer = await createFixture([cached]).sendRequest({ headers: { range: 'bytes=200-' } })
  expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */12'])
})

it('fetches nothing for who is signed out, nor for a script', async () => {
  const out = createFixture([], { storageAccess: async () => null })
  expect([(await out.sendRequest()).status, out.requests.length]).toEqual([404, 0])
  const script = createFixture([])
  expect([(await script.sendRequest({}, 'script')).status, script.requests.length]).toEqual([404, 0])
})

it('ends what is on its way at sign-out', async () => {
  const transfers = new AbortController()
  const { sendRequest, requests } = createFixture(
    [new Response('a', { headers: { 'content-type': 'video/mp4' } })],
    {
      signal: transfers.signal,
    },
  )
  await sendRequest()
  transfers.abort()
  expect(requests[0]!.signal.aborted).toBe(true)
})

it('forwards the response unchanged for downloads only', async () => {
  const headers = { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="a.mp4"' }
  const saved = new Response('a', { headers })
  const { sendRequest, requests } = createFixture([saved])
  expect(await sendRequest({}, 'iframe', true)).toBe(saved)
  expect([requests[0]!.url.split('?')[1], requests[0]!.cache]).toEqual(['download=a.mp4', 'no-store'])
  for (const disposition of ['', 'inline', 'attachments']) {
    const shown = new Response('a', { headers: { ...headers, 'content-disposition': disposition } })
    const answer = await createFixture([shown]).sendRequest({}, 'iframe', true)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  }
  const unasked = await createFixture([new Response('a', { headers })]).sendRequest({}, 'iframe')
  expect(unasked).not.toBe(saved)
  expect(unasked.headers.get('content-type')).toBe('application/octet-stream')
})
