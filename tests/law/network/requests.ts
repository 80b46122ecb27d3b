import { failureNamed } from '../../../app/data/failures/failures.ts'
import type { Outcome } from '../../../app/data/failures/failures.ts'
import type { Chance } from '../random.ts'
import type { Device } from './network.ts'

interface Request {
  device: Device
  name: string
  work: () => Promise<Outcome<unknown>>
  /** Null until the database has worked on it. */
  outcome: Outcome<unknown> | null
  answer: (outcome: Outcome<unknown>) => void
  /** Its page has gone: nobody waits for the answer. */
  gone: boolean
}

/** Requests on their way to the server, and answers on their way back. */
export interface Requests {
  /** Asks; `work` runs when the request arrives, perhaps twice. */
  send: (device: Device, name: string, work: Request['work']) => Promise<Outcome<unknown>>
  /** Those that may move now. */
  ready: () => readonly Request[]
  step: (chance: Chance, faulty: boolean) => Promise<string>
  idle: () => boolean
  forget: (device: Device) => void
  /** All that have arrived are worked on at once, whatever becomes of that. */
  workAll: () => Promise<void>
  /** The server goes: each is lost, before or after it was worked on. */
  cutAll: (chance: Chance) => Promise<void>
}

const lost = (): Outcome<unknown> => ({ ok: false, failure: failureNamed('network') })

/** `spread` is called after each work, to carry on what the database said. */
export function createRequests(spread: () => Promise<void>): Requests {
  let waiting: Request[] = []

  function end(request: Request, outcome: Outcome<unknown>) {
    waiting = waiting.filter((one) => one !== request)
    request.answer(structuredClone(outcome))
  }

  async function work(request: Request): Promise<void> {
    const outcome = await request.work()
    request.outcome ??= outcome
    await spread()
  }

  /** To a page that sleeps nothing is answered; what it asked before arrives all the same. */
  const ready = () => waiting.filter((one) => one.outcome === null || !one.device.asleep)

  return {
    send: (device, name, work) =>
      new Promise((resolve) => {
        waiting.push({ device, name, work, outcome: null, answer: resolve, gone: false })
      }),
    ready,
    step: async (chance, faulty) => {
      const all = ready()
      // What a page asked that has gone is on its last metres.
      const request = all.find((one) => one.gone) ?? all[faulty ? chance.below(all.length) : 0]
      if (!request) return 'nothing is asked'
      const { device } = request
      const what = `${device.label}: ${request.name}`
      if (request.outcome === null) {
        if (!device.asks || (faulty && chance.happens(0.06))) {
          if (!device.asleep) end(request, lost())
          else request.outcome = lost()
          return `${what} lost`
        }
        await work(request)
        if (!faulty || !chance.happens(0.06)) return `${what} worked`
        await work(request)
        return `${what} worked twice`
      }
      if (!device.isAnswered || (faulty && chance.happens(0.08))) {
        end(request, lost())
        return `${what} answer lost`
      }
      const { outcome } = request
      end(request, outcome)
      return `${what} ${outcome.ok ? 'answered' : `refused: ${outcome.failure.name}`}`
    },
    idle: () => waiting.length === 0,
    forget: (device) => {
      // What it has asked may still arrive; nobody waits for the answer.
      device.asleep = false
      for (const request of waiting) {
        if (request.device !== device) continue
        request.gone = true
        request.answer = () => {}
      }
    },
    workAll: async () => {
      const arrived = waiting.filter((one) => one.outcome === null && one.device.asks)
      await Promise.all(
        arrived.map(async (request) => {
          const outcome = await request.work()
          request.outcome ??= outcome
        }),
      )
    },
    cutAll: async (chance) => {
      for (const request of Array.from(waiting)) {
        if (request.outcome === null && chance.happens(0.5)) await work(request)
        if (request.device.asleep) request.outcome = lost()
        else end(request, lost())
      }
    },
  }
}
