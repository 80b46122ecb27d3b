import type { Outcome } from '../../../app/data/failures/failures.ts'
import type { Ports, Told, TopicListener } from '../../../app/data/sync/ports.ts'
import type { Caller } from '../../../wire/claims.ts'
import { userTopic } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/linnet.ts'
import type { LawHome, Said } from '../home/home.ts'
import type { Chance } from '../random.ts'
import { createClock, settle } from './clock.ts'
import type { Clock, Sleeper } from './clock.ts'
import { createRequests } from './requests.ts'
import type { Requests } from './requests.ts'

interface Hold {
  topic: string
  listener: TopicListener
  joined: boolean
}

/** One page of one person, as the network sees it. */
export interface Device extends Sleeper {
  label: string
  caller: () => Caller
  /** The profile of whoever uses it, once the page knows it. */
  me: () => Uuid | null
  /** Whether requests reach the server, and whether their answers come back. */
  asks: boolean
  isAnswered: boolean
  /** Whether there is a socket, and whether anything comes through it. */
  socket: boolean
  hears: boolean
  holds: Set<Hold>
  inbox: { hold: Hold; told: Told }[]
  /** What its sister tabs told it: in order, nothing lost, but late. */
  post: (() => void)[]
}

/** A network that loses, doubles, delays and reorders, between a real database and pages that don't know it. */
export interface Network {
  clock: Clock
  requests: Requests
  device: (who: Pick<Device, 'label' | 'caller' | 'me'>) => Device
  ports: (device: Device, chance: Chance) => Ports
  /** Plain SQL under the policies, on the way of all requests. */
  write: (device: Device, what: string, text: string, values: unknown[]) => Promise<Outcome<unknown>>
  /** The page is gone: nothing of it is delivered any more. */
  forget: (device: Device) => void
  /** The socket ends; what was on its way through it is lost. */
  cut: (device: Device) => void
  /** A socket again, where there is none: the library joins by itself what it held, under the old names. */
  connect: (device: Device) => void
  /** Everything works again for it. */
  heal: (device: Device) => void
  /** The realtime service stops and starts: every socket ends, nothing is kept for those who come back. */
  restart: () => void
  /** Delivers what the database said meanwhile, and ends the sockets of those who lost their rights. */
  spread: () => Promise<void>
  /** Where sockets end with rights: asks for each topic of these again. */
  recheck: (who: (device: Device) => boolean) => Promise<void>
  /** Sister tabs that are awake hear all that was told them. */
  deliverPosts: (devices: readonly Device[]) => Promise<void>
  /** One thing happens somewhere on the way; faulty ways may lose or double it. Says what, or null. */
  step: (chance: Chance, faulty: boolean) => Promise<string | null>
  idle: () => boolean
}

/** `evicts`: whether sockets end with rights, as on the embedded home, or outlive them for a while. */
export function createNetwork(home: LawHome, evicts: boolean): Network {
  const devices = new Set<Device>()
  const joins: { device: Device; hold: Hold }[] = []
  const clock = createClock()

  function deliver(all: Said[]) {
    for (const { topic, event, payload } of all) {
      for (const device of devices) {
        if (!device.hears) continue
        for (const hold of device.holds) {
          if (hold.joined && hold.topic === topic) device.inbox.push({ hold, told: { event, payload } })
        }
      }
    }
  }

  async function recheck(who: (device: Device) => boolean) {
    if (!evicts) return
    for (const device of devices) {
      if (!who(device)) continue
      // Losing one makes another: only those of this moment are asked.
      for (const hold of Array.from(device.holds)) {
        if (!hold.joined || (await home.mayListen(device.caller(), hold.topic))) continue
        hold.joined = false
        device.inbox = device.inbox.filter((one) => one.hold !== hold)
        hold.listener.lost()
      }
    }
  }

  async function spread() {
    const said = await home.said()
    deliver(said)
    // Whose place moved, of them all topics are asked for again.
    const moved = said.filter(({ event }) => event === 'membership' || event === 'workspace')
    const people = new Set(moved.map(({ topic }) => topic))
    if (people.size > 0) await recheck((device) => people.has(userTopic(device.me() ?? '')))
  }
  const requests = createRequests(spread)

  async function stepJoin(): Promise<string> {
    const index = joins.findIndex(({ device }) => !device.asleep)
    const join = joins.splice(index, 1)[0]
    if (!join?.device.holds.has(join.hold)) return 'a join that nobody waits for'
    const { device, hold } = join
    if (!device.socket) return `${device.label}: join without a socket`
    const may = await home.mayListen(device.caller(), hold.topic)
    hold.joined = may
    if (may) hold.listener.joined()
    else hold.listener.lost()
    return `${device.label}: ${hold.topic} ${may ? 'joined' : 'refused'}`
  }

  function stepInbox(chance: Chance, faulty: boolean): string {
    const device = chance.pick([...devices].filter((one) => one.inbox.length > 0 && !one.asleep))
    if (!device) return 'nothing to hear'
    const index = faulty && chance.happens(0.25) ? chance.below(device.inbox.length) : 0
    const one = device.inbox[index]
    if (!one) return 'nothing to hear'
    const what = `${device.label} hears ${describe(one.told)}${index > 0 ? ` before ${index} others` : ''}`
    if (faulty && chance.happens(0.1)) {
      device.inbox.splice(index, 1)
      return `${what}: lost`
    }
    // Doubled: heard now, and again later.
    const doubled = faulty && chance.happens(0.08)
    if (!doubled) device.inbox.splice(index, 1)
    if (device.holds.has(one.hold)) one.hold.listener.told(structuredClone(one.told))
    return doubled ? `${what}, and will again` : what
  }

  function stepPost(chance: Chance): string {
    const device = chance.pick([...devices].filter((one) => one.post.length > 0 && !one.asleep))
    device?.post.shift()?.()
    return `${device?.label} hears from its sister tab`
  }

  function cut(device: Device) {
    device.socket = false
    device.inbox.length = 0
    for (const hold of device.holds) hold.joined = false
  }

  function connect(device: Device) {
    if (device.socket) return
    device.socket = true
    for (const hold of device.holds) joins.push({ device, hold })
  }

  return {
    clock,
    requests,
    device: (who) => {
      const device: Device = {
        ...who,
        asleep: false,
        asks: true,
        isAnswered: true,
        socket: true,
        hears: true,
        holds: new Set(),
        inbox: [],
        post: [],
      }
      devices.add(device)
      return device
    },
    ports: (device, chance) => ({
      call: (name, args) => {
        const asked = structuredClone(args)
        return requests.send(device, name, () => home.ask(device.caller(), name, asked)) as Promise<
          Outcome<never>
        >
      },
      subscribe: (topic, listener) => {
        const hold: Hold = { topic, listener, joined: false }
        device.holds.add(hold)
        if (device.socket) joins.push({ device, hold })
        return () => device.holds.delete(hold)
      },
      now: clock.now,
      after: (ms, run) => clock.after(device, ms, run),
      random: chance.next,
      visible: () => true,
    }),
    write: (device, what, text, values) =>
      requests.send(device, what, () => home.write(device.caller(), text, values)),
    forget: (device) => {
      devices.delete(device)
      device.holds.clear()
      device.inbox.length = 0
      device.post.length = 0
      requests.forget(device)
      clock.forget(device)
    },
    cut,
    connect,
    heal: (device) => {
      device.asks = true
      device.isAnswered = true
      device.hears = true
      connect(device)
    },
    restart: () => {
      for (const device of devices) {
        if (!device.socket) continue
        cut(device)
        connect(device)
      }
    },
    spread,
    recheck,
    deliverPosts: async (tabs) => {
      for (;;) {
        const post = tabs.find((one) => !one.asleep && one.post.length > 0)?.post.shift()
        if (!post) return
        post()
        await settle()
      }
    },
    step: async (chance, faulty) => {
      const ways: (() => Promise<string> | string)[] = []
      if (requests.ready().length > 0) ways.push(() => requests.step(chance, faulty))
      if (joins.some(({ device }) => !device.asleep)) ways.push(stepJoin)
      const awake = [...devices].filter((device) => !device.asleep)
      if (awake.some((device) => device.inbox.length > 0)) ways.push(() => stepInbox(chance, faulty))
      if (awake.some((device) => device.post.length > 0)) ways.push(() => stepPost(chance))
      const way = chance.pick(ways)
      if (!way) return null
      const what = await way()
      await settle()
      return what
    },
    idle: () =>
      requests.idle() &&
      joins.length === 0 &&
      [...devices].every((one) => one.inbox.length === 0 && one.post.length === 0),
  }
}

function describe({ event, payload }: Told): string {
  const { rev, epoch, message } = payload as { rev?: number; epoch?: number; message?: { body: string } }
  const numbers = [rev === undefined ? '' : ` rev ${rev}`, epoch === undefined ? '' : ` epoch ${epoch}`]
  return `${event}${numbers.join('')}${message ? ` “${message.body}”` : ''}`
}
