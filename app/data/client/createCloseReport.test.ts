// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createCloseReport } from './createCloseReport.ts'

const settings = { url: 'https://project.example', key: 'sb_publishable_x', installation: 'here' }

afterEach(() => {
  document.cookie = 'sb-here-auth-token=; Max-Age=0; Path=/'
  vi.unstubAllGlobals()
})

it('sends the request before it returns, with the token of the cookie, and outlives the page', () => {
  const fetchMock = vi.fn<typeof fetch>().mockRejectedValue(new TypeError('offline'))
  vi.stubGlobal('fetch', fetchMock)
  const report = createCloseReport(settings)
  report()
  // Signed out.
  expect(fetchMock).not.toHaveBeenCalled()
  const session = { access_token: 'a.b.c', refresh_token: 'r', user: { id: 'bea' } }
  document.cookie = `sb-here-auth-token=base64-${btoa(JSON.stringify(session))}; Path=/`
  report()
  expect(fetchMock).toHaveBeenCalledExactlyOnceWith(
    'https://project.example/rest/v1/rpc/close_page',
    expect.objectContaining({
      method: 'POST',
      keepalive: true,
      headers: expect.objectContaining({ apikey: settings.key, authorization: 'Bearer a.b.c' }),
    }),
  )
})
