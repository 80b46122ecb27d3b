import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import { authorizationOf, checkToken, type FunctionKeys } from './authorise.ts'
import { Exchange } from './http/Exchange.ts'
import { requestHead } from './http/requestHead.ts'
import type { FunctionLimits } from './functionLimits.ts'
import type { LoadFunction } from './functionSeam.ts'
import { workerCode } from './process/workerCode.ts'
import { Workers } from './process/Workers.ts'
import { bodyCut, refusals, refuse, type Refusal } from './refusals.ts'
import { FunctionSource, type Sourced } from './served/FunctionSource.ts'
import { ServedFunction } from './served/ServedFunction.ts'

export interface FunctionsOptions {
  loadFunction: LoadFunction
  verifyToken: VerifyToken
  keys: FunctionKeys
  limits: FunctionLimits
  /** Where people reach this house; null for what each request calls it. */
  publicUrl: string | null
  log: Logger
}

/** Figures since the start, and of now. */
export interface FunctionsStats {
  requests: number
  /** Workers that were started for a function. */
  coldStarts: number
  /** Workers that broke. */
  crashes: number
  /** Workers that were ended because they took too much. */
  kills: number
  workers: number
  /** Requests that wait for a worker. */
  waiting: number
}

export interface FunctionsService {
  /**
   * Answers a request below `/functions/v1/`; `path` is its address with the query. Where `cut` resolves, its body is
   * not waited for any longer. Never throws.
   */
  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    cut?: Promise<BodyCut> | null,
  ): void
  /** Ends every worker; what `waitUntil` keeps gets a moment. */
  close(): Promise<void>
  stats(): FunctionsStats
}

/** Why the body of a request is not read to its end. */
interface BodyCut {
  status: 408 | 413 | 429
  message: string
}

const prefix = '/functions/v1/'

/** A function's name as upstream's deploy accepts it. */
const plainName = /^[A-Za-z][\w-]{0,99}$/

/** Milliseconds that background work gets when the house closes. */
const lastPatience = 5_000

interface Entry {
  source: FunctionSource
  served: ServedFunction
}

const nameOf = (path: string): string => /^[^/?]*/.exec(path.slice(prefix.length))![0]

/** Serves the functions of a project, each in processes of its own. */
export function createFunctionsService(o: FunctionsOptions): FunctionsService {
  const { log, limits, loadFunction } = o
  const entries = new Map<string, Entry>()
  const counts = { requests: 0, crashes: 0, kills: 0 }
  let isClosed = false

  const workers = new Workers(workerCode, limits, (now) => {
    let isAnyWaiting = false
    for (const { served } of entries.values()) isAnyWaiting = served.look(now) || isAnyWaiting
    return isAnyWaiting
  })

  const makeEntry = (name: string): Entry => ({
    source: new FunctionSource(loadFunction, name),
    served: new ServedFunction(workers, limits, {
      onOutput(stream, line) {
        const level = stream === 'stderr' ? 'warn' : 'info'
        log[level]('function', { function: name, stream, line })
      },
      onBootFailure: (reason) => log.error('function did not start', { function: name, reason }),
      onWorkerEnd(end, detail) {
        if (end === 'let go') return
        counts[end === 'crash' ? 'crashes' : 'kills']++
        log.warn('function ended', { function: name, reason: end, detail })
      },
    }),
  })

  /** What to answer where there is nothing to run; null where there is. */
  const settle = (name: string, entry: Entry, sourced: Sourced): Refusal | null => {
    if ('loaded' in sourced) {
      entry.served.become(sourced.loaded)
      return null
    }
    entry.served.letGo()
    const { kind, message } = sourced.error
    if (kind === 'unknown' || kind === 'disabled') {
      entries.delete(name)
      return refusals.unknown
    }
    log.error('function did not load', { function: name, reason: message })
    return refusals.boot
  }

  const pass = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    cut: Promise<BodyCut> | null,
    { entry, verifyJwt }: { entry: Entry; verifyJwt: boolean },
  ): Promise<void> => {
    const authorization = authorizationOf(incoming, o.keys)
    if (verifyJwt && incoming.method !== 'OPTIONS') {
      const refusal = await checkToken(authorization, o.verifyToken)
      if (refusal) return refuse(outgoing, refusal)
    }
    // Who left meanwhile is not coming back.
    if (outgoing.closed) return
    const head = requestHead(incoming, { path, prefix, publicUrl: o.publicUrl, authorization })
    const exchange = new Exchange(incoming, outgoing, head, limits)
    void cut?.then(({ status, message }) => exchange.giveUp(bodyCut(status, message)))
    exchange.whenReady(() => entry.served.dispatch(exchange))
  }

  const answer = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    cut: Promise<BodyCut> | null,
  ): Promise<void> => {
    const name = nameOf(path)
    if (isClosed || !plainName.test(name)) return refuse(outgoing, refusals.unknown)
    let entry = entries.get(name)
    if (!entry) entries.set(name, (entry = makeEntry(name)))
    let sourced = entry.source.current
    if (!sourced) {
      sourced = await entry.source.read()
      const refusal = settle(name, entry, sourced)
      if (refusal) return refuse(outgoing, refusal)
    } else if ('error' in sourced) {
      return refuse(outgoing, refusals.boot)
    }
    if (!('loaded' in sourced)) return
    await pass(incoming, outgoing, path, cut, { entry, verifyJwt: sourced.loaded.verifyJwt })
  }

  return {
    handle(incoming, outgoing, path, cut = null) {
      counts.requests++
      answer(incoming, outgoing, path, cut).catch((error: Error) => {
        // Without the query, which may hold secrets of people.
        log.error('request failed', { function: nameOf(path), reason: error.message })
        if (outgoing.headersSent) outgoing.destroy()
        else refuse(outgoing, refusals.boot)
      })
    },

    async close() {
      isClosed = true
      await workers.close(lastPatience)
    },

    stats: () => ({
      ...counts,
      coldStarts: workers.taken,
      workers: workers.size,
      waiting: [...entries.values()].reduce((sum, { served }) => sum + served.waiting, 0),
    }),
  }
}
