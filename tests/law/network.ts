import type { Outcome } from '../../app/data/failures.ts'
import type { Ports, Told, TopicListener } from '../../app/data/sync/ports.ts'
import type { CommandName } from '../../wire/linnet.ts'
import type { LawHome, Person, Said } from './home.ts'
import type { Chance } from './random.ts'

interface Request {
  device: Device
  name: CommandName
  args: unknown
  /** Null until the database has worked on it. */
  outcome: Outcome<unknown> | null
  answer: (outcome: Outcome<unknown>) => void
}

interface Hold {
  topic: string
  listener: TopicListener
  joined: boolean
}

/** One page of one person, as the network sees it. */
export interface Device {
  label: string
  person: Person
  connected: boolean
  holds: Set<Hold>
  inbox: { hold: Hold; told: Told }[]
}

interface Timer {
  at: number
  order: number
  run: () => void
}

/** A network that loses, doubles, delays and reorders; time that stands still until it is moved. */
export interface Network {
  device: (label: string, person: Person) => Device
  ports: (device: Device) => Ports
  uuid: () => string
  /** The page is gone: nothing of it is delivered any more. */
  forget: (device: Device) => void
  disconnect: (device: Device) => void
  reconnect: (device: Device) => void
  /** One thing happens somewhere on the way; faulty ways may lose or double it. Says what, or null. */
  step: (faulty: boolean) => Promise<string | null>
  /** Moves the clock and runs what was due. */
  pass: (ms: number) => Promise<void>
  idle: () => boolean
}

const NETWORK = () => ({ ok: false as const, failure: { name: 'network', sentence: '', again: true } })

/** Lets everything that waits for nothing but promises go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

export function createNetwork(home: LawHome, chance: Chance, evicts: boolean): Network {
  const devices = new Set<Device>()
  const requests: Request[] = []
  const joins: { device: Device; hold: Hold }[] = []
  let timers: Timer[] = []
  let now = 0
  let orders = 0

  function deliver(all: Said[]) {
    for (const { topic, event, payload } of all) {
      for (const device of devices) {
        for (const hold of device.holds) {
          if (hold.joined && hold.topic === topic) device.inbox.push({ hold, told: { event, payload } })
        }
      }
    }
  }

  /** The embedded home asks again after rights changed; elsewhere a socket outlives them for a while. */
  async function recheck() {
    if (!evicts) return
    for (const device of devices) {
      // Losing one makes another: only those of this moment are asked.
      for (const hold of Array.from(device.holds)) {
        if (!hold.joined || (await home.mayListen(device.person, hold.topic))) continue
        hold.joined = false
        hold.listener.lost()
      }
    }
  }

  async function work(request: Request): Promise<void> {
    const { device, name, args } = request
    const outcome = await home.ask(device.person, name, args as never)
    request.outcome ??= outcome
    const said = await home.said()
    deliver(said)
    if (said.some((one) => one.event === 'epoch' || one.event === 'membership')) await recheck()
  }

  function take(index: number): Request | undefined {
    return requests.splice(index, 1)[0]
  }

  async function stepRequest(faulty: boolean): Promise<string> {
    const index = faulty ? chance.below(requests.length) : 0
    const request = requests[index]
    if (!request) return ''
    const what = `${request.device.label}: ${request.name}`
    if (!request.device.connected) {
      take(index)?.answer(NETWORK())
      return `${what} (offline)`
    }
    if (request.outcome === null) {
      if (faulty && chance.happens(0.06)) {
        take(index)?.answer(NETWORK())
        return `${what} lost`
      }
      await work(request)
      if (faulty && chance.happens(0.06)) {
        await work(request)
        return `${what} worked twice`
      }
      return `${what} worked`
    }
    take(index)
    if (faulty && chance.happens(0.08)) {
      request.answer(NETWORK())
      return `${what} answer lost`
    }
    request.answer(request.outcome)
    return `${what} answered`
  }

  async function stepJoin(): Promise<string> {
    const join = joins.shift()
    if (!join || !join.device.holds.has(join.hold)) return 'join of nobody'
    const { device, hold } = join
    if (!device.connected) return `${device.label}: join (offline)`
    const may = await home.mayListen(device.person, hold.topic)
    hold.joined = may
    if (may) hold.listener.joined()
    else hold.listener.lost()
    return `${device.label}: join ${hold.topic} ${may ? 'held' : 'refused'}`
  }

  function stepInbox(faulty: boolean): string {
    const full = [...devices].filter((device) => device.inbox.length > 0)
    const device = chance.pick(full)
    if (!device) return ''
    const index = faulty && chance.happens(0.25) ? chance.below(device.inbox.length) : 0
    const one = device.inbox[index]
    if (!one) return ''
    const what = `${device.label} hears ${one.told.event} on ${one.hold.topic}`
    if (faulty && chance.happens(0.1)) {
      device.inbox.splice(index, 1)
      return `${what}: lost`
    }
    // Doubled: heard now, and again later.
    if (!(faulty && chance.happens(0.08))) device.inbox.splice(index, 1)
    if (device.holds.has(one.hold)) one.hold.listener.told(structuredClone(one.told))
    return what
  }

  return {
    device: (label, person) => {
      const device: Device = { label, person, connected: true, holds: new Set(), inbox: [] }
      devices.add(device)
      return device
    },
    ports: (device) => ({
      call: (name, args) =>
        new Promise((resolve) => {
          requests.push({
            device,
            name,
            args: structuredClone(args),
            outcome: null,
            answer: (outcome) => resolve(structuredClone(outcome) as never),
          })
        }),
      subscribe: (topic, listener) => {
        const hold: Hold = { topic, listener, joined: false }
        device.holds.add(hold)
        if (device.connected) joins.push({ device, hold })
        return () => device.holds.delete(hold)
      },
      now: () => now,
      after: (ms, run) => {
        const timer: Timer = { at: now + ms, order: (orders += 1), run }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      },
      random: chance.next,
      visible: () => true,
    }),
    uuid: chance.uuid,
    forget: (device) => {
      devices.delete(device)
      device.holds.clear()
      device.inbox.length = 0
      for (const request of requests.filter((one) => one.device === device)) {
        requests.splice(requests.indexOf(request), 1)
      }
    },
    disconnect: (device) => {
      device.connected = false
      device.inbox.length = 0
      for (const hold of device.holds) hold.joined = false
    },
    reconnect: (device) => {
      if (device.connected) return
      device.connected = true
      // The library joins by itself what it held, under the old names.
      for (const hold of device.holds) joins.push({ device, hold })
    },
    step: async (faulty) => {
      const ways: (() => Promise<string> | string)[] = []
      if (requests.length > 0) ways.push(() => stepRequest(faulty))
      if (joins.length > 0) ways.push(stepJoin)
      if ([...devices].some((device) => device.inbox.length > 0)) ways.push(() => stepInbox(faulty))
      const way = chance.pick(ways)
      if (!way) return null
      const what = await way()
      await settle()
      return what
    },
    pass: async (ms) => {
      const until = now + ms
      for (;;) {
        const due = timers
          .filter((timer) => timer.at <= until)
          .sort((a, b) => a.at - b.at || a.order - b.order)[0]
        if (!due) break
        timers = timers.filter((one) => one !== due)
        now = Math.max(now, due.at)
        due.run()
        await settle()
      }
      now = until
    },
    idle: () =>
      requests.length === 0 && joins.length === 0 && [...devices].every((one) => one.inbox.length === 0),
  }
}
