import type { Handler, WorkerHost } from '../../functionSeam.ts'
import { tellError } from '../tellError.ts'

interface ServeOptions {
  handler?: unknown
  onListen?: unknown
  onError?: unknown
  signal?: AbortSignal
}

/** `Deno.HttpServer`. */
interface HttpServer {
  finished: Promise<void>
  addr: { transport: 'tcp'; hostname: string; port: number }
  shutdown(): Promise<void>
  ref(): void
  unref(): void
}

type OnError = (error: unknown) => unknown

/** Where a function would listen on Supabase; here as there nothing does. */
const addr = { transport: 'tcp', hostname: '0.0.0.0', port: 9999 } as const

function answerOf(given: unknown): Response {
  if (given instanceof Response) return given
  tellError(new TypeError('The handler of a function must answer with a Response, or a promise of one.'))
  return new Response('Bad Gateway', { status: 502 })
}

function guarded(handler: Handler, onError: OnError | null, onRequest: () => void): Handler {
  return async (request, info) => {
    onRequest()
    try {
      return answerOf(await handler(request, info))
    } catch (error) {
      if (onError) return answerOf(await onError(error))
      tellError(error)
      return new Response('Internal Server Error', { status: 500 })
    }
  }
}

/**
 * `Deno.serve` in its three forms: handler; options and handler; options that hold it. The port is not heard:
 * requests come from the house.
 * @param onRequest called before each request is handled
 */
export function createServe(host: WorkerHost, onRequest: () => void) {
  return function serve(first: unknown, second?: unknown): HttpServer {
    const options: ServeOptions = first !== null && typeof first === 'object' ? first : {}
    const handler = [first, second, options.handler].find((one) => typeof one === 'function')
    if (handler === undefined) throw new TypeError('A handler function must be provided.')
    const onError = typeof options.onError === 'function' ? (options.onError as OnError) : null
    host.serve(guarded(handler as Handler, onError, onRequest))
    if (typeof options.onListen === 'function') (options.onListen as (at: unknown) => void)({ ...addr })
    let finish = (): void => {}
    // oxlint-disable-next-line promise/avoid-new -- it settles when the function says so
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    options.signal?.addEventListener('abort', () => finish(), { once: true })
    return {
      finished,
      addr,
      shutdown: async () => finish(),
      ref: () => {},
      unref: () => {},
    }
  }
}
