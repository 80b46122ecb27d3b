import type { Handler, WorkerHost } from '../../functionTypes.ts'
import { printError } from '../printError.ts'

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

/** The address that Supabase reports; nothing listens there in either. */
const addr = { transport: 'tcp', hostname: '0.0.0.0', port: 9999 } as const

function toResponse(given: unknown): Response {
  if (given instanceof Response) return given
  printError(new TypeError('The handler of a function must return a Response, or a promise of one.'))
  return new Response('Bad Gateway', { status: 502 })
}

function guarded(handler: Handler, onError: OnError | null, onRequest: () => void): Handler {
  return async (request, info) => {
    onRequest()
    try {
      return toResponse(await handler(request, info))
    } catch (error) {
      if (onError) return toResponse(await onError(error))
      printError(error)
      return new Response('Internal Server Error', { status: 500 })
    }
  }
}

/**
 * `Deno.serve` in its three forms: handler; options and handler; options with handler. It does not listen: requests come
 * from the server.
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
    // oxlint-disable-next-line promise/avoid-new -- resolved by shutdown or the signal
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
