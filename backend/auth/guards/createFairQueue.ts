import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { AuthError } from '../http/AuthError.ts'

/** Whose turn it is, and when it is no longer wanted. */
export interface Turn {
  /** The address that the request comes from. */
  client: string
  /** Aborted where the client has gone. */
  signal?: AbortSignal
}

export interface FairQueue {
  /**
   * Runs `work` when its turn has come.
   * @throws AuthError 429 where too many wait, 408 where the client left before
   */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  begin(): void
  refuse(error: AuthError): void
}

/**
 * Lets `atOnce` run and `most` wait. Clients take turns, so that one with a hundred guesses waits for a single
 * sign-in of another and not the other way round; and where the queue is full, it is the client with the longest
 * line that is turned away.
 */
export function createFairQueue(o: { atOnce: number; most: number }): FairQueue {
  /** By client; the one whose turn is next comes first. */
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0
  /** How long one takes, in ms; a running average. */
  let usual = 40

  const tooMany = (): AuthError => {
    const seconds = Math.max(1, Math.ceil((waiting * usual) / o.atOnce / 1000))
    return new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', {
      retryAfter: seconds,
    })
  }

  const remove = (client: string, one: Waiting): void => {
    const line = lines.get(client)
    const at = line?.indexOf(one) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    if (line.length === 0) lines.delete(client)
    waiting--
  }

  /** Makes room by turning away the last of the longest line, unless that is the line of `client` itself. */
  const makeRoom = (client: string): boolean => {
    const own = lines.get(client)?.length ?? 0
    let longest = client
    let length = own + 1
    for (const [other, line] of lines) {
      if (line.length > length) [longest, length] = [other, line.length]
    }
    if (longest === client) return false
    const last = lines.get(longest)!.at(-1)!
    remove(longest, last)
    last.refuse(tooMany())
    return true
  }

  const waitInLine = ({ client: address, signal }: Turn): Promise<void> =>
    new Promise((resolve, reject) => {
      const client = networkOf(address)
      if (waiting >= o.most && !makeRoom(client)) return reject(tooMany())
      const leave = (): void => {
        remove(client, one)
        reject(new AuthError(408, 'request_timeout', 'The client left before its turn'))
      }
      const one: Waiting = {
        begin() {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
        refuse(error) {
          signal?.removeEventListener('abort', leave)
          reject(error)
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      lines.set(client, [...(lines.get(client) ?? []), one])
      waiting++
    })

  /** Hands the place of whoever is done to the first of the next line, and puts that line last. */
  const passOn = (): void => {
    const [client, line] = lines.entries().next().value ?? []
    if (client === undefined || line === undefined) {
      running--
      return
    }
    const next = line.shift()!
    waiting--
    lines.delete(client)
    if (line.length > 0) lines.set(client, line)
    next.begin()
  }

  return {
    async run(turn, work) {
      if (turn.signal?.aborted) throw new AuthError(408, 'request_timeout', 'The client left before its turn')
      if (running >= o.atOnce) await waitInLine(turn)
      else running++
      const began = performance.now()
      try {
        return await work()
      } finally {
        usual += (performance.now() - began - usual) / 8
        passOn()
      }
    },
  }
}
