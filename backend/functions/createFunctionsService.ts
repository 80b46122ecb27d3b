import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import { authorizationOf, checkToken, type FunctionKeys } from './checkToken.ts'
import { Exchange } from './http/Exchange.ts'
import { invocationHead, requestHead } from './http/requestHead.ts'
import type { FunctionLimits } from './functionLimits.ts'
import type { LoadFunction } from './functionTypes.ts'
import { workerCode } from './process/workerCode.ts'
import { Workers } from './process/Workers.ts'
import { bodyCut, errorResponses, sendError, type ErrorResponse } from './errorResponses.ts'
import { FunctionSource, type LoadResult } from './served/FunctionSource.ts'
import { Invocation } from './served/Invocation.ts'
import { ServedFunction } from './served/ServedFunction.ts'

export interface FunctionsOptions {
  loadFunction: LoadFunction
  verifyToken: VerifyToken
  keys: FunctionKeys
  limits: FunctionLimits
  /** The public address of this server; null if the host of each request is used. */
  publicUrl: string | null
  log: Logger
}

/** Counts since the start, and current numbers. */
export interface FunctionsStats {
  requests: number
  /** Workers that were started for a function. */
  coldStarts: number
  /** Workers that crashed. */
  crashes: number
  /** Workers that were ended because they exceeded a limit. */
  kills: number
  workers: number
  /** Requests that wait for a worker. */
  waiting: number
}

export interface FunctionsService {
  /**
   * Handles a request below `/functions/v1/`. `path` is its path with the query. Once `cut` resolves, the service no
   * longer waits for the body. Never throws.
   */
  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    cut?: Promise<BodyCut> | null,
  ): void
  /**
   * Runs a function for the server itself: a POST with a JSON body of at most 1 MB and the key of the service role. Resolves
   * with the status of the response. Never rejects.
   */
  invoke(name: string, body: Buffer): Promise<number>
  /** Ends all workers; promises of `waitUntil` get a few seconds. */
  close(): Promise<void>
  stats(): FunctionsStats
}

/** The reason why the body of a request is not read to its end. */
interface BodyCut {
  status: 408 | 413 | 429
  message: string
}

const prefix = '/functions/v1/'

/** A function name that `supabase functions deploy` accepts. */
const plainName = /^[A-Za-z][\w-]{0,99}$/

/** Milliseconds for background work when the server closes. */
const closeTimeoutMs = 5_000

interface Entry {
  source: FunctionSource
  served: ServedFunction
}

const nameOf = (path: string): string => /^[^/?]*/.exec(path.slice(prefix.length))![0]

/** Serves the Edge Functions of a project. Each function runs in processes of its own. */
export function createFunctionsService(o: FunctionsOptions): FunctionsService {
  const { log, limits, loadFunction } = o
  const entries = new Map<string, Entry>()
  const counts = { requests: 0, crashes: 0, kills: 0 }
  let isClosed = false

  const workers = new Workers(workerCode, limits, (now) => {
    let isAnyWaiting = false
    for (const { served } of entries.values()) isAnyWaiting = served.check(now) || isAnyWaiting
    return isAnyWaiting
  })

  const createEntry = (name: string): Entry => ({
    source: new FunctionSource(loadFunction, name),
    served: new ServedFunction(workers, limits, {
      onOutput(stream, line) {
        const level = stream === 'stderr' ? 'warn' : 'info'
        log[level]('functions.output', { function: name, stream, line })
      },
      onBootFailure: (reason) => log.error('functions.start_failed', { function: name, reason }),
      onWorkerEnd(end, detail) {
        if (end === 'released') return
        counts[end === 'crash' ? 'crashes' : 'kills']++
        log.warn('functions.worker_ended', { function: name, reason: end, detail })
      },
    }),
  })

  /** Returns the error response if there is nothing to run; otherwise null. */
  const applySource = (name: string, entry: Entry, loadResult: LoadResult): ErrorResponse | null => {
    if ('loaded' in loadResult) {
      entry.served.setVersion(loadResult.loaded)
      return null
    }
    entry.served.drainAll()
    const { kind, message } = loadResult.error
    if (kind === 'unknown' || kind === 'disabled') {
      entries.delete(name)
      return errorResponses.unknown
    }
    log.error('functions.load_failed', { function: name, reason: message })
    return errorResponses.boot
  }

  /** Finds the current version of a function. Returns the error response if there is nothing to run. */
  const findFunction = async (
    name: string,
  ): Promise<{ entry: Entry; verifyJwt: boolean } | ErrorResponse> => {
    if (isClosed || !plainName.test(name)) return errorResponses.unknown
    let entry = entries.get(name)
    if (!entry) entries.set(name, (entry = createEntry(name)))
    let loadResult = entry.source.current
    if (!loadResult) {
      loadResult = await entry.source.read()
      const error = applySource(name, entry, loadResult)
      if (error) return error
    }
    return 'loaded' in loadResult ? { entry, verifyJwt: loadResult.loaded.verifyJwt } : errorResponses.boot
  }

  const handleRequest = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    cut: Promise<BodyCut> | null,
  ): Promise<void> => {
    const found = await findFunction(nameOf(path))
    if ('status' in found) return sendError(outgoing, found)
    const { entry, verifyJwt } = found
    const authorization = authorizationOf(incoming, o.keys)
    if (verifyJwt && incoming.method !== 'OPTIONS') {
      const error = await checkToken(authorization, o.verifyToken)
      if (error) return sendError(outgoing, error)
    }
    // The client has disconnected meanwhile.
    if (outgoing.closed) return
    const head = requestHead(incoming, { path, prefix, publicUrl: o.publicUrl, authorization })
    const exchange = new Exchange(incoming, outgoing, head, limits)
    void cut?.then(({ status, message }) => exchange.abort(bodyCut(status, message)))
    exchange.whenReady(() => entry.served.dispatch(exchange))
  }

  return {
    handle(incoming, outgoing, path, cut = null) {
      counts.requests++
      handleRequest(incoming, outgoing, path, cut).catch((error: Error) => {
        // Without the query, which may contain personal data.
        log.error('functions.request_failed', { function: nameOf(path), reason: error.message })
        if (outgoing.headersSent) outgoing.destroy()
        else sendError(outgoing, errorResponses.boot)
      })
    },

    async invoke(name, body) {
      counts.requests++
      try {
        const found = await findFunction(name)
        if ('status' in found) return found.status
        const head = invocationHead(name, o.publicUrl, o.keys.serviceRoleKey)
        return await new Promise((resolve) =>
          found.entry.served.dispatch(new Invocation(head, body, resolve)),
        )
      } catch (error) {
        log.error('functions.request_failed', { function: name, reason: (error as Error).message })
        return errorResponses.boot.status
      }
    },

    async close() {
      isClosed = true
      await workers.close(closeTimeoutMs)
    },

    stats: () => ({
      ...counts,
      coldStarts: workers.taken,
      workers: workers.size,
      waiting: [...entries.values()].reduce((sum, { served }) => sum + served.waiting, 0),
    }),
  }
}
