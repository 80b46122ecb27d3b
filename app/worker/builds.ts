import { pathTo } from '../paths.ts'
/** The files of this worker's build, inserted by the bundler. */
export interface Build {
  /**
   * The path of the last script of `index.html`. Its name depends on the names of all other scripts, and identifies
   * the build.
   */
  entry: string
  /** Paths of the files that the app loads; their names contain hashes of their content. */
  assets: readonly string[]
}

/** Browser interfaces that the functions below use. */
export interface BuildStorage {
  caches: CacheStorage
  fetch: typeof fetch
  /** Names of the builds that open pages run, or that a worker stores; see `buildName`. */
  used: () => Promise<ReadonlySet<string>>
  /** Adds a name to those of `used` while `work` runs. */
  use: (name: string, work: () => Promise<void>) => Promise<void>
}

const PREFIX = 'linnet-build:'

/** Key of the document in the cache of a build. It is stored last: a cache that has it is complete. */
const SHELL = pathTo('home')

/** Maximum number of stored builds, even if pages of more are open. */
const MAX_BUILDS = 3

/** The maximum number of parallel requests, in addition to the requests of the page. */
const MAX_FETCHES = 4

const types: Record<string, RegExp> = {
  js: /^(text|application)\/javascript/,
  css: /^text\/css/,
  woff2: /^(font|application)\//,
}

/** Name of a build's cache, and of the lock that its pages hold, and its worker while storing it. */
export function buildName(entry: string): string {
  return `${PREFIX}${entry}`
}

/**
 * Stores a build, so that its pages start without a network. The document is stored last. Until then the build serves
 * nothing, and a later call resumes where this one was interrupted. Then it removes the builds that no page runs.
 * Rejects where a file is missing (a newer build has replaced it), does not match its name, or doesn't fit.
 */
export async function storeBuild(build: Build, storage: BuildStorage): Promise<void> {
  // The worker of the previous build may still remove builds, and no page may hold the lock of this one yet.
  await storage.use(buildName(build.entry), () => storeAll(build, storage))
  await removeOldBuilds(build, storage)
}

async function storeAll(build: Build, storage: BuildStorage): Promise<void> {
  const { caches } = storage
  const cache = await caches.open(buildName(build.entry))
  if (!(await cache.match(SHELL))) {
    try {
      await storeAssets(build, cache, storage)
      // A browser's `fetch` throws if it is called as a method of another object.
      const { fetch } = storage
      const shell = await fetch(SHELL, { cache: 'no-cache', headers: { accept: 'text/html' } })
      if (!(await isShellOf(shell.clone(), build.entry))) throw new Error('The document is of another build')
      await cache.put(SHELL, shell)
    } catch (error) {
      // Leaves the space to the outbox.
      if (error instanceof DOMException && error.name === 'QuotaExceededError') {
        await caches.delete(buildName(build.entry))
      }
      throw error
    }
  }
}

async function storeAssets({ assets }: Build, cache: Cache, { caches, fetch }: BuildStorage): Promise<void> {
  const waiting = assets.values()
  const storeNext = async (): Promise<void> => {
    for (const path of waiting) {
      if (await cache.match(path)) continue
      // An earlier build had the same file.
      const response = (await caches.match(path)) ?? (await fetch(path, { priority: 'low' }))
      if (!isAsset(response, path)) throw new Error(`${path} could not be fetched`)
      await cache.put(path, response)
    }
  }
  await Promise.all(Array.from({ length: MAX_FETCHES }, storeNext))
}

/** Some hosts respond to every URL with a page, and captive portals redirect. */
function isAsset({ status, redirected, headers }: Response, path: string): boolean {
  const type = types[path.slice(path.lastIndexOf('.') + 1)]
  return status === 200 && !redirected && (type?.test(headers.get('content-type') ?? '') ?? true)
}

/** Whether a response is the document of a build; reads it to its end. */
async function isShellOf(response: Response, entry: string): Promise<boolean> {
  const isPage = /^text\/html\b/.test(response.headers.get('content-type') ?? '')
  if (response.status !== 200 || response.redirected || !isPage) return false
  return (await response.text()).includes(`"${entry}"`)
}

async function removeOldBuilds({ entry }: Build, { caches, used }: BuildStorage): Promise<void> {
  const others = (await builds(caches)).filter((name) => name !== buildName(entry))
  // Queried after the names: a build that is stored from now on is not among them.
  const inUse = await used()
  const kept = new Set(others.filter((name) => inUse.has(name)).slice(1 - MAX_BUILDS))
  await Promise.all(others.filter((name) => !kept.has(name)).map((name) => caches.delete(name)))
}

/** The stored builds, the newest last. */
async function builds(caches: CacheStorage): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(PREFIX))
}

/** The document of the newest complete build, with the headers that the server sent; null: none is stored. */
export async function findShell(caches: CacheStorage): Promise<Response | null> {
  for (const name of (await builds(caches)).reverse()) {
    const shell = await (await caches.open(name)).match(SHELL)
    if (shell) return shell
  }
  return null
}

/**
 * Stores a document that the server has just sent. It replaces the stored document of the same build, because headers
 * such as the content policy may have become stricter. It does nothing for a document of another build.
 */
export async function refreshShell(response: Response, caches: CacheStorage): Promise<void> {
  for (const name of await builds(caches)) {
    const cache = await caches.open(name)
    if (!(await cache.match(SHELL))) continue
    if (await isShellOf(response.clone(), name.slice(PREFIX.length))) return cache.put(SHELL, response)
  }
}

/** A stored file of any build: its name contains a hash of its content. */
export async function findAsset(path: string, caches: CacheStorage): Promise<Response | undefined> {
  return caches.match(path, { ignoreVary: true })
}
