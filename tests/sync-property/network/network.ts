import type { Outcome } from '../../../app/data/failures/failures.ts'
import type { Ports, Broadcast } from '../../../app/data/sync/ports.ts'
import { userTopic } from '../../../wire/events.ts'
import type { TestDatabase, PublishedEvent } from '../database/testDatabase.ts'
import type { Random } from '../../support/random.ts'
import { createClock, flushPromises } from './clock.ts'
import type { Clock } from './clock.ts'
import type { Device, Subscription } from './device.ts'
import { createRequests } from './requests.ts'
import type { Requests } from './requests.ts'

/** A network that loses, duplicates, delays and reorders, between a real database and unmodified pages. */
export interface Network {
  clock: Clock
  requests: Requests
  device: (who: Pick<Device, 'label' | 'caller' | 'me'>) => Device
  ports: (device: Device, random: Random) => Ports
  /** Plain SQL under the policies, over the simulated network. */
  write: (
    device: Device,
    what: string,
    text: string,
    values: unknown[],
  ) => Promise<Outcome<readonly unknown[]>>
  /** The page is closed: nothing is delivered to it any more. */
  remove: (device: Device) => void
  /** Closes the socket; messages in flight are lost. */
  disconnect: (device: Device) => void
  /** Opens a socket where there is none: the client library joins its topics again, under the old names. */
  connect: (device: Device) => void
  /** Removes all faults of a device. */
  heal: (device: Device) => void
  /** The realtime service restarts: every socket closes, and nothing is replayed. */
  restart: () => void
  /** Delivers what the database published meanwhile, and ends subscriptions that are no longer permitted. */
  publish: () => Promise<void>
  /** Where subscriptions end with the permission: checks the topics of these devices again. */
  recheck: (who: (device: Device) => boolean) => Promise<void>
  /** Delivers all messages among tabs to those that are not suspended. */
  deliverTabMessages: (devices: readonly Device[]) => Promise<void>
  /** One request, join or message moves on; with `faulty` it may get lost or duplicated. Returns a description, or null. */
  step: (random: Random, faulty: boolean) => Promise<string | null>
  idle: () => boolean
}

/** `evicts`: whether subscriptions end with the permission, as on Linnet's server, or outlive it for a while. */
export function createNetwork(database: TestDatabase, evicts: boolean): Network {
  const devices = new Set<Device>()
  const joins: { device: Device; subscription: Subscription }[] = []
  const clock = createClock()

  function deliver(all: PublishedEvent[]) {
    for (const { topic, event, payload } of all) {
      if (event === 'end_subscriptions') {
        const { users } = payload as { users: string[] }
        for (const device of devices) {
          const { claims } = device.caller()
          if (!users.includes(String(claims.sub))) continue
          for (const subscription of Array.from(device.subscriptions))
            if (subscription.joined && subscription.topic === topic) endSubscription(device, subscription)
        }
        continue
      }
      for (const device of devices) {
        if (!device.messagesArrive) continue
        for (const subscription of device.subscriptions) {
          if (subscription.joined && subscription.topic === topic)
            device.inbox.push({ subscription, message: { event, payload } })
        }
      }
    }
  }

  function endSubscription(device: Device, subscription: Subscription) {
    subscription.joined = false
    device.inbox = device.inbox.filter((one) => one.subscription !== subscription)
    subscription.listener.lost()
  }

  async function recheck(who: (device: Device) => boolean) {
    if (!evicts) return
    for (const device of devices) {
      if (!who(device)) continue
      // `lost` may subscribe anew: only the present subscriptions are checked.
      for (const subscription of Array.from(device.subscriptions)) {
        if (!subscription.joined || (await database.canSubscribe(device.caller(), subscription.topic)))
          continue
        endSubscription(device, subscription)
      }
    }
  }

  async function publish() {
    const events = await database.takePublished()
    deliver(events)
    // All topics of people whose membership changed are checked again.
    const moved = events.filter(({ event }) => event === 'membership' || event === 'workspace')
    const people = new Set(moved.map(({ topic }) => topic))
    if (people.size > 0) await recheck((device) => people.has(userTopic(device.me() ?? '')))
  }
  const requests = createRequests(publish)

  async function stepJoin(): Promise<string> {
    const index = joins.findIndex(({ device }) => !device.asleep)
    const join = joins.splice(index, 1)[0]
    if (!join?.device.subscriptions.has(join.subscription)) return 'a join of a subscription that has ended'
    const { device, subscription } = join
    if (!device.socket) return `${device.label}: join without a socket`
    const may = await database.canSubscribe(device.caller(), subscription.topic)
    subscription.joined = may
    if (may) subscription.listener.joined()
    else subscription.listener.lost()
    return `${device.label}: ${subscription.topic} ${may ? 'joined' : 'refused'}`
  }

  function stepInbox(random: Random, faulty: boolean): string {
    const device = random.pick([...devices].filter((one) => one.inbox.length > 0 && !one.asleep))
    if (!device) return 'nothing to receive'
    const index = faulty && random.happens(0.25) ? random.below(device.inbox.length) : 0
    const one = device.inbox[index]
    if (!one) return 'nothing to receive'
    const what = `${device.label} receives ${describe(one.message)}${index > 0 ? ` before ${index} others` : ''}`
    if (faulty && random.happens(0.1)) {
      device.inbox.splice(index, 1)
      return `${what}: lost`
    }
    // Duplicated: delivered now, and again later.
    const duplicated = faulty && random.happens(0.08)
    if (!duplicated) device.inbox.splice(index, 1)
    if (device.subscriptions.has(one.subscription))
      one.subscription.listener.received(structuredClone(one.message))
    return duplicated ? `${what}, and will once more` : what
  }

  function stepTabMessage(random: Random): string {
    const device = random.pick([...devices].filter((one) => one.tabMessages.length > 0 && !one.asleep))
    device?.tabMessages.shift()?.()
    return `${device?.label} receives a message from another tab`
  }

  function disconnect(device: Device) {
    device.socket = false
    device.inbox.length = 0
    for (const subscription of device.subscriptions) subscription.joined = false
  }

  function connect(device: Device) {
    if (device.socket) return
    device.socket = true
    for (const subscription of device.subscriptions) joins.push({ device, subscription })
  }

  return {
    clock,
    requests,
    device: (who) => {
      const device: Device = {
        ...who,
        asleep: false,
        requestsArrive: true,
        responsesArrive: true,
        socket: true,
        messagesArrive: true,
        subscriptions: new Set(),
        inbox: [],
        tabMessages: [],
      }
      devices.add(device)
      return device
    },
    ports: (device, random) => ({
      call: (name, args) => {
        const sentArgs = structuredClone(args)
        return requests.send(device, name, () =>
          database.runCommand(device.caller(), name, sentArgs),
        ) as Promise<Outcome<never>>
      },
      subscribe: (topic, listener) => {
        const subscription: Subscription = { topic, listener, joined: false }
        device.subscriptions.add(subscription)
        if (device.socket) joins.push({ device, subscription })
        return () => device.subscriptions.delete(subscription)
      },
      now: clock.now,
      after: (ms, run) => clock.after(device, ms, run),
      random: random.next,
      visible: () => true,
    }),
    write: (device, what, text, values) =>
      requests.send(device, what, () => database.write(device.caller(), text, values)) as Promise<
        Outcome<readonly unknown[]>
      >,
    remove: (device) => {
      devices.delete(device)
      device.subscriptions.clear()
      device.inbox.length = 0
      device.tabMessages.length = 0
      requests.removeDevice(device)
      clock.removeOwner(device)
    },
    disconnect,
    connect,
    heal: (device) => {
      device.requestsArrive = true
      device.responsesArrive = true
      device.messagesArrive = true
      connect(device)
    },
    restart: () => {
      for (const device of devices) {
        if (!device.socket) continue
        disconnect(device)
        connect(device)
      }
    },
    publish,
    recheck,
    deliverTabMessages: async (tabs) => {
      for (;;) {
        const post = tabs.find((one) => !one.asleep && one.tabMessages.length > 0)?.tabMessages.shift()
        if (!post) return
        post()
        await flushPromises()
      }
    },
    step: async (random, faulty) => {
      const candidates: (() => Promise<string> | string)[] = []
      if (requests.ready().length > 0) candidates.push(() => requests.step(random, faulty))
      if (joins.some(({ device }) => !device.asleep)) candidates.push(stepJoin)
      const awake = [...devices].filter((device) => !device.asleep)
      if (awake.some((device) => device.inbox.length > 0)) candidates.push(() => stepInbox(random, faulty))
      if (awake.some((device) => device.tabMessages.length > 0)) candidates.push(() => stepTabMessage(random))
      const candidate = random.pick(candidates)
      if (!candidate) return null
      const what = await candidate()
      await flushPromises()
      return what
    },
    idle: () =>
      requests.idle() &&
      joins.length === 0 &&
      [...devices].every((one) => one.inbox.length === 0 && one.tabMessages.length === 0),
  }
}

function describe({ event, payload }: Broadcast): string {
  const { rev, epoch, message } = payload as { rev?: number; epoch?: number; message?: { body: string } }
  const numbers = [rev === undefined ? '' : ` rev ${rev}`, epoch === undefined ? '' : ` epoch ${epoch}`]
  return `${event}${numbers.join('')}${message ? ` “${message.body}”` : ''}`
}
