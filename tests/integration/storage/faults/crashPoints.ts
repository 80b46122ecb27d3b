import fileSystem from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Pool } from '../../../../backend/postgres/connections/pool.ts'

/**
 * Kills the storage service between any two of its steps: what it does to files below a folder, and what it sends to the
 * database. A killed service does nothing more: each later step, including its cleanup, never
 * ends, and its connections are closed. The folder and the database are then as after `kill -9` at that point.
 */
export interface CrashPoints {
  /** Wraps the pool of a service, so that its statements are steps. */
  wrapPool(pool: Pool): Pool
  /** From now on the service is killed before its step number `at`, counted from 1; half of a write is done. */
  arm(at: number): void
  /** A service that was not killed continues. */
  disarm(): void
  /** Resolves when the service was killed. */
  died(): Promise<void>
  isDead(): boolean
  /** The steps since `arm`, the one that was not taken included. */
  steps(): readonly string[]
  /** Waits until a killed service does nothing more, closes its connections, and allows a new one to run. */
  bury(): Promise<void>
  /** Restores the patched functions. */
  remove(): void
}

/** What pg's client has and its types don't. */
interface Wired {
  connection: { stream: { destroy(): void } }
}

type Any = (...given: never[]) => Promise<unknown>

const changing = ['rename', 'rm', 'link', 'mkdir', 'writeFile', 'copyFile'] as const
// `writeFile` of a handle comes to `write`.
const changingHandle = ['write', 'sync', 'datasync', 'truncate'] as const

/** Statements that change the database. A kill before another statement has the same result as one before these. */
const writing = /^\s*(insert|update|delete|commit)/i

const never = new Promise<never>(() => {})

/** @param root the folder of a service that has not been started yet; one at a time in a process */
export async function createCrashPoints(root: string): Promise<CrashPoints> {
  let taken: string[] = []
  let last = Infinity
  let dead = false
  let underWay = 0
  let resolveDeath = (): void => {}
  let death = new Promise<void>(() => {})
  const clients = new Set<Client>()

  const step = async <T>(name: string, act: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> => {
    if (dead) return never
    taken.push(name)
    if (taken.length >= last) {
      dead = true
      await half?.()
      resolveDeath()
      return never
    }
    underWay++
    const outcome = await act().then(
      (done) => ({ done }),
      (error: unknown) => ({ error }),
    )
    underWay--
    // A step that was in progress when the process was killed is done, but its result is not returned.
    if (dead) return never
    if ('error' in outcome) throw outcome.error
    return outcome.done
  }

  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await setImmediate()
    if (underWay > 0) await settled()
  }

  const inside = (path: unknown): boolean => String(path).startsWith(root)
  const handles = new WeakSet<FileHandle>()
  const original = { ...fileSystem }
  const probe = await original.open(join(import.meta.dirname, 'crashPoints.ts'), 'r')
  const prototype = Object.getPrototypeOf(probe) as Record<string, Any>
  await probe.close()
  const originalHandle = Object.fromEntries(changingHandle.map((name) => [name, prototype[name]!]))

  const patched = fileSystem as unknown as Record<string, Any>
  for (const name of changing) {
    const act = original[name] as unknown as Any
    patched[name] = (...given) =>
      given.slice(0, 2).some(inside)
        ? step(`${name} ${String(given[0]).slice(root.length)}`, () => act(...given))
        : act(...given)
  }
  patched.open = (async (path: string, flags: string, mode?: number) => {
    if (!inside(path)) return original.open(path, flags, mode)
    const opening = (): Promise<FileHandle> => original.open(path, flags, mode)
    const handle = await (/^[wa]/.test(flags) ? step(`open ${path.slice(root.length)}`, opening) : opening())
    handles.add(handle)
    return handle
  }) as unknown as Any
  for (const name of changingHandle) {
    const act = originalHandle[name]!
    prototype[name] = async function (this: FileHandle, ...given: never[]) {
      if (!handles.has(this)) return act.apply(this, given)
      return step(
        name,
        () => act.apply(this, given),
        name === 'write' ? () => writeHalf(this, given as never) : undefined,
      )
    }
  }
  syncBuiltinESMExports()

  async function writeHalf(file: FileHandle, given: [Buffer, number?, number?, number?]): Promise<void> {
    const [bytes, offset = 0, length = bytes.length - offset, position] = given
    await originalHandle.write!.apply(file, [bytes, offset, length >> 1, position] as never[])
  }

  const watched = new WeakSet<Client>()
  const watch = (client: Client): Client => {
    if (watched.has(client)) return client
    watched.add(client)
    clients.add(client)
    const query = client.query.bind(client) as unknown as (query: unknown, ...rest: never[]) => unknown
    client.query = ((statement: unknown, ...rest: never[]) => {
      // Pipelined statements are policy checks and queries, which change nothing; they are not promises, but contain one.
      if (typeof statement !== 'string' && 'submit' in (statement as object))
        return dead ? statement : query(statement, ...rest)
      const text = typeof statement === 'string' ? statement : (statement as { text: string }).text
      if (!writing.test(text)) return dead ? never : query(statement, ...rest)
      return step(text.slice(0, 40), () => query(statement, ...rest) as Promise<unknown>)
    }) as never
    return client
  }

  return {
    wrapPool: (pool) => ({
      ...pool,
      withClient: (fn, signal) => (dead ? never : pool.withClient((client) => fn(watch(client)), signal)),
    }),
    arm(at) {
      taken = []
      last = at
      death = new Promise((resolve) => {
        resolveDeath = resolve
      })
    },
    disarm() {
      last = Infinity
    },
    died: () => death,
    isDead: () => dead,
    steps: () => taken,
    async bury() {
      dead = true
      for (const client of clients) (client as unknown as Wired).connection.stream.destroy()
      clients.clear()
      await settled()
      dead = false
    },
    remove() {
      Object.assign(fileSystem, original)
      Object.assign(prototype, originalHandle)
      syncBuiltinESMExports()
    },
  }
}
