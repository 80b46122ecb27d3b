// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createSessionFetch } from './createSessionFetch.ts'

const fetchMock = vi.fn<typeof fetch>()
const renewal = 'http://localhost/auth/v1/token?grant_type=refresh_token'

afterEach(() => vi.unstubAllGlobals())

function careful(status: number, body: unknown = {}) {
  fetchMock.mockReset()
  fetchMock.mockImplementation(async () => new Response(JSON.stringify(body), { status }))
  vi.stubGlobal('fetch', fetchMock)
  vi.stubGlobal('navigator', {
    locks: { request: async (_name: string, run: () => unknown) => run() },
  })
  return createSessionFetch('sb-here')
}

it.each([408, 425, 429])(
  'takes %i to a renewal for a server that stumbles: nobody is signed out',
  async (status) => {
    expect((await careful(status)(renewal)).status).toBe(503)
  },
)

it.each([400, 401, 403])('ends the session after %i', async (status) => {
  expect((await careful(status)(renewal)).status).toBe(status)
})

it('leaves other requests alone', async () => {
  expect((await careful(429)('http://localhost/rest/v1/rpc/send_message')).status).toBe(429)
})

it('dates the session by this device’s clock', async () => {
  const response = await careful(200, { access_token: 'a', expires_in: 600, expires_at: 1 })(renewal)
  expect(await response.json()).toEqual({ access_token: 'a', expires_in: 600 })
})

it.each(['mark_read', 'mark_thread_read'])('keeps %s alive after the page', async (name) => {
  await careful(200)(`http://localhost/rest/v1/rpc/${name}`, { method: 'POST' })
  expect(fetchMock.mock.calls[0]?.[1]).toMatchObject({ keepalive: true })
})
