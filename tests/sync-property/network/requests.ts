import { createFailure } from '../../../app/data/failures/failures.ts'
import type { Outcome } from '../../../app/data/failures/failures.ts'
import type { Random } from '../../support/random.ts'
import type { Device } from './device.ts'

interface Request {
  device: Device
  name: string
  execute: () => Promise<Outcome<unknown>>
  /** Null until the database has executed it. */
  outcome: Outcome<unknown> | null
  respond: (outcome: Outcome<unknown>) => void
  /** The response is not awaited any more. */
  isPageClosed: boolean
}

/** Requests in flight to the server, and responses in flight back. */
export interface Requests {
  /** Sends a request; `execute` runs when it arrives, perhaps twice. */
  send: (device: Device, name: string, execute: Request['execute']) => Promise<Outcome<unknown>>
  /** Those that may move now. */
  ready: () => readonly Request[]
  step: (random: Random, faulty: boolean) => Promise<string>
  idle: () => boolean
  removeDevice: (device: Device) => void
  /** Executes all that have arrived at once, whatever the outcome. */
  executeAll: () => Promise<void>
  /** The server stops: each request fails, before or after it was executed. */
  failAll: (random: Random) => Promise<void>
}

const networkFailure = (): Outcome<unknown> => ({ ok: false, failure: createFailure('network') })

/** `publish` is called after each execution, to deliver what the database published. */
export function createRequests(publish: () => Promise<void>): Requests {
  let waiting: Request[] = []

  function end(request: Request, outcome: Outcome<unknown>) {
    waiting = waiting.filter((one) => one !== request)
    request.respond(structuredClone(outcome))
  }

  async function execute(request: Request): Promise<void> {
    const outcome = await request.execute()
    request.outcome ??= outcome
    await publish()
  }

  /** A suspended page gets no responses; the requests it has sent still arrive. */
  const ready = () => waiting.filter((one) => one.outcome === null || !one.device.asleep)

  return {
    send: (device, name, execute) =>
      new Promise((resolve) => {
        waiting.push({ device, name, execute, outcome: null, respond: resolve, isPageClosed: false })
      }),
    ready,
    step: async (random, faulty) => {
      const all = ready()
      // Requests of a closed page arrive first.
      const request = all.find((one) => one.isPageClosed) ?? all[faulty ? random.below(all.length) : 0]
      if (!request) return 'no request'
      const { device } = request
      const what = `${device.label}: ${request.name}`
      if (request.outcome === null) {
        if (!device.requestsArrive || (faulty && random.happens(0.06))) {
          if (!device.asleep) end(request, networkFailure())
          else request.outcome = networkFailure()
          return `${what} lost`
        }
        await execute(request)
        if (!faulty || !random.happens(0.06)) return `${what} executed`
        await execute(request)
        return `${what} executed twice`
      }
      if (!device.responsesArrive || (faulty && random.happens(0.08))) {
        end(request, networkFailure())
        return `${what} response lost`
      }
      const { outcome } = request
      end(request, outcome)
      return `${what} ${outcome.ok ? 'answered' : `refused: ${outcome.failure.name}`}`
    },
    idle: () => waiting.length === 0,
    removeDevice: (device) => {
      // Its requests may still arrive; the responses are not awaited.
      device.asleep = false
      for (const request of waiting) {
        if (request.device !== device) continue
        request.isPageClosed = true
        request.respond = () => {}
      }
    },
    executeAll: async () => {
      const arrived = waiting.filter((one) => one.outcome === null && one.device.requestsArrive)
      await Promise.all(
        arrived.map(async (request) => {
          const outcome = await request.execute()
          request.outcome ??= outcome
        }),
      )
    },
    failAll: async (random) => {
      for (const request of Array.from(waiting)) {
        if (request.outcome === null && random.happens(0.5)) await execute(request)
        if (request.device.asleep) request.outcome = networkFailure()
        else end(request, networkFailure())
      }
    },
  }
}
