import { expect, it } from 'vitest'
import { buildName, findAsset, findShell, refreshShell, storeBuild } from './builds.ts'
import type { Build, BuildStorage } from './builds.ts'
import { memoryCaches } from './memoryCaches.fixture.ts'

const first: Build = { entry: '/assets/shell-1.js', assets: ['/assets/shell-1.js', '/assets/shared.css'] }
const second: Build = { entry: '/assets/shell-2.js', assets: ['/assets/shell-2.js', '/assets/shared.css'] }

const page = (entry: string, headers: Record<string, string> = {}) =>
  new Response(`<!doctype html><script type="module" src="${entry}"></script>`, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': 'first', ...headers },
  })
const script = () => new Response('run()', { headers: { 'content-type': 'text/javascript; charset=utf-8' } })
const style = () => new Response('a{}', { headers: { 'content-type': 'text/css' } })

/** A server with one build, whose responses the test can replace, and the paths that were fetched. */
function createFixture(build: Build, replaced: Record<string, () => Response> = {}) {
  const fetched: string[] = []
  const used = new Set<string>()
  const caches = memoryCaches()
  const server = { build, replaced }
  const storage: BuildStorage = {
    caches,
    used: async () => new Set(used),
    use: async (name, work) => {
      const isUsedByPage = used.has(name)
      used.add(name)
      await work().finally(() => isUsedByPage || used.delete(name))
    },
    fetch: async (input) => {
      const path = String(input)
      fetched.push(path)
      const other = server.replaced[path]
      if (other) return other()
      if (path === '/') return page(server.build.entry)
      if (!server.build.assets.includes(path)) return new Response('', { status: 404 })
      return path.endsWith('.css') ? style() : script()
    },
  }
  return { storage, caches, fetched, used, server }
}

it('serves nothing of a build before its last file is stored, and resumes where it was interrupted', async () => {
  const { storage, caches, fetched, server } = createFixture(first, {
    '/assets/shared.css': () => new Response('', { status: 503 }),
  })
  await expect(storeBuild(first, storage)).rejects.toThrow('/assets/shared.css')
  expect(await findShell(caches)).toBeNull()
  server.replaced = {}
  fetched.length = 0
  await storeBuild(first, storage)
  expect(fetched).toEqual(['/assets/shared.css', '/'])
  expect(await (await findShell(caches))!.text()).toContain(first.entry)
  fetched.length = 0
  await storeBuild(first, storage)
  expect(fetched).toEqual([])
})

it.each([
  ['a page in place of a script', { '/assets/shell-1.js': () => page('/') }],
  ['the document of another build', { '/': () => page(second.entry) }],
  ['a document that is no page', { '/': () => script() }],
  ['an error page', { '/': () => new Response(`"${first.entry}"`, { status: 500 }) }],
])('stores no build with %s', async (_what, replaced) => {
  const { storage, caches } = createFixture(first, replaced)
  await expect(storeBuild(first, storage)).rejects.toThrow(/./)
  expect(await findShell(caches)).toBeNull()
})

it('removes a build that does not fit', async () => {
  const { storage, caches } = createFixture(first, {
    '/assets/shell-1.js': () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  await expect(storeBuild(first, storage)).rejects.toThrow('full')
  expect(await caches.keys()).toEqual([])
})

it('starts the newest complete build, and fetches only what an earlier one lacks', async () => {
  const { storage, caches, fetched, server, used } = createFixture(first)
  await storeBuild(first, storage)
  used.add(buildName(first.entry))
  server.build = second
  server.replaced = { '/assets/shell-2.js': () => new Response('', { status: 404 }) }
  await expect(storeBuild(second, storage)).rejects.toThrow('shell-2')
  expect(await (await findShell(caches))!.text()).toContain(first.entry)
  server.replaced = {}
  fetched.length = 0
  await storeBuild(second, storage)
  expect(fetched.filter((path) => path.endsWith('.css'))).toEqual([])
  expect(await (await findShell(caches))!.text()).toContain(second.entry)
})

it('removes an earlier build once no page runs it', async () => {
  const { storage, caches, server, used } = createFixture(first)
  await storeBuild(first, storage)
  used.add(buildName(first.entry))
  server.build = second
  await storeBuild(second, storage)
  expect(await findAsset('/assets/shell-1.js', caches)).toBeDefined()
  used.clear()
  await storeBuild(second, storage)
  expect(await caches.keys()).toEqual([buildName(second.entry)])
  expect(await findAsset('/assets/shell-1.js', caches)).toBeUndefined()
})

it('a build is stored whole while the worker of the build before removes what no page runs', async () => {
  const { storage, caches, server } = createFixture(first)
  await storeBuild(first, storage)
  let respond: (response: Response) => void = () => {}
  const requested = new Promise<void>((resolve) => {
    server.build = second
    const { fetch } = storage
    storage.fetch = async (input) => {
      if (input !== '/assets/shell-2.js') return fetch(input)
      resolve()
      return new Promise((settle) => (respond = settle))
    }
  })
  const storing = storeBuild(second, storage)
  await requested
  await storeBuild(first, storage)
  respond(script())
  await storing
  expect(await (await findShell(caches))!.text()).toContain(second.entry)
})

it('stores three builds at most, even where pages of more are open', async () => {
  const { storage, caches, server, used } = createFixture(first)
  for (const number of [1, 2, 3, 4, 5]) {
    const entry = `/assets/shell-${number}.js`
    used.add(buildName(entry))
    server.build = { entry, assets: [entry] }
    await storeBuild(server.build, storage)
  }
  expect(await caches.keys()).toEqual([3, 4, 5].map((number) => buildName(`/assets/shell-${number}.js`)))
})

it('leaves caches that are not its own', async () => {
  const { storage, caches } = createFixture(first)
  await caches.open('other')
  await storeBuild(first, storage)
  expect(await caches.keys()).toContain('other')
})

it('stores the headers that the server sent last with the same build', async () => {
  const { storage, caches } = createFixture(first)
  await storeBuild(first, storage)
  const policy = async () => (await findShell(caches))!.headers.get('content-security-policy')
  expect(await policy()).toBe('first')
  await refreshShell(page(second.entry, { 'content-security-policy': 'other' }), caches)
  await refreshShell(new Response('not found', { status: 404 }), caches)
  expect(await policy()).toBe('first')
  await refreshShell(page(first.entry, { 'content-security-policy': 'stricter' }), caches)
  expect(await policy()).toBe('stricter')
})
