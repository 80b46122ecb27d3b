import { expect, it } from 'vitest'
import { respondToNavigation, isPageRequest } from './respondToNavigation.ts'
import { storeBuild } from './builds.ts'
import { memoryCaches } from './memoryCaches.fixture.ts'

const origin = 'https://chat.example'
const entry = '/assets/shell-1.js'
const html = (text: string, policy = 'first') =>
  new Response(text, { headers: { 'content-type': 'text/html', 'content-security-policy': policy } })

async function createFixture(request: () => Promise<Response>, stored = true) {
  const caches = memoryCaches()
  if (stored) {
    const fetchShell = async () => html(`stored "${entry}"`)
    const storage = { caches, fetch: fetchShell, used: async () => new Set<string>() }
    await storeBuild({ entry, assets: [] }, { ...storage, use: (_name, work) => work() })
  }
  const work: Promise<unknown>[] = []
  const navigate = () =>
    respondToNavigation({ request, caches, later: (more) => void work.push(more), timeoutMs: 5 })
  return { navigate, settled: () => Promise.all(work) }
}

it.each([
  ['a newer build', () => html('"/assets/shell-2.js"')],
  ['an error', () => new Response('out of order', { status: 503 })],
  ['what is not there', () => new Response('gone', { status: 404 })],
])('passes on %s that the server sends', async (_what, response) => {
  const expected = await response().text()
  const { navigate } = await createFixture(async () => response())
  expect(await (await navigate()).text()).toBe(expected)
})

it('shows the stored document with its policy where the network fails', async () => {
  const { navigate } = await createFixture(() => Promise.reject(new TypeError('Failed to fetch')))
  const shown = await navigate()
  expect([await shown.text(), shown.headers.get('content-security-policy')]).toEqual([
    `stored "${entry}"`,
    'first',
  ])
})

it('the stored document is shown where the network does not respond in time', async () => {
  let end: (response: Response) => void = () => {}
  const { navigate, settled } = await createFixture(() => new Promise((resolve) => (end = resolve)))
  expect(await (await navigate()).text()).toBe(`stored "${entry}"`)
  end(html('late'))
  await settled()
})

it('fails as the network does where nothing is stored', async () => {
  const { navigate } = await createFixture(() => Promise.reject(new TypeError('Failed to fetch')), false)
  await expect(navigate()).rejects.toThrow('Failed to fetch')
})

it('waits for the network where nothing is stored', async () => {
  let end: (response: Response) => void = () => {}
  const { navigate } = await createFixture(() => new Promise((resolve) => (end = resolve)), false)
  const shown = navigate()
  setTimeout(() => end(html('late')), 20)
  expect(await (await shown).text()).toBe('late')
})

it('stores a stricter policy of the same build for the next time', async () => {
  const answers = [
    async () => html(`new "${entry}"`, 'stricter'),
    () => Promise.reject(new TypeError('no line')),
  ]
  const { navigate, settled } = await createFixture(() => answers.shift()!())
  await navigate()
  await settled()
  expect((await navigate()).headers.get('content-security-policy')).toBe('stricter')
})

const isHandled = (url: string, o: object = {}) =>
  isPageRequest({ method: 'GET', mode: 'navigate', destination: 'document', url, ...o }, origin)

it.each(['/', '/c/1', '/c/1/t/2?a=b', '/sign-in', '/auth/callback?code=1', '/settings/look', '/_more'])(
  '%s is a page of the app',
  (path) => expect(isHandled(origin + path)).toBe(true),
)

it.each([
  '/auth/v1/verify?token=1',
  '/rest/v1/',
  '/storage/v1/object/public/a',
  '/functions/v1/a',
  '/_/',
  '/mailbox/',
  '/attached/a/b/file',
  '/.well-known/openid-configuration',
])('%s is none', (path) => expect(isHandled(origin + path)).toBe(false))

it('leaves frames, forms, scripts and other origins alone', () => {
  expect(isHandled(origin, { destination: 'iframe' })).toBe(false)
  expect(isHandled(origin, { method: 'POST' })).toBe(false)
  expect(isHandled(origin, { mode: 'cors' })).toBe(false)
  expect(isHandled('https://elsewhere.example/')).toBe(false)
})
