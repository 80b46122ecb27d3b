import { describe, expect, it } from 'vitest'
import { createSharedTopics } from './sharedTopics.ts'
import type { SharedTopics, TopicTabMessage } from './sharedTopics.ts'
import type { TopicListener } from '../sync/ports.ts'

/** Tabs on one bus; each has a socket of its own, of which only the leader's should be used. */
function tabs(...names: string[]) {
  const all = new Map<string, { shared: SharedTopics; socket: Map<string, TopicListener> }>()
  let leader = ''
  const ends = new Map<string, () => void>()
  const make = (name: string) => {
    const socket = new Map<string, TopicListener>()
    const shared = createSharedTopics({
      tab: name,
      subscribeBySocket: (topic, listener) => {
        socket.set(topic, listener)
        return () => {
          if (socket.get(topic) === listener) socket.delete(topic)
        }
      },
      isLeader: () => leader === name,
      post: (news: TopicTabMessage) => {
        for (const [other, { shared: theirs }] of all)
          if (other !== name) theirs.receive(structuredClone(news))
      },
      ended: (other) => new Promise((resolve) => ends.set(other, resolve)),
      onLive: () => {},
    })
    all.set(name, { shared, socket })
  }
  for (const name of names) make(name)
  const of = (name: string) => {
    const found = all.get(name)
    if (!found) throw new Error(`no tab ${name}`)
    return found
  }
  const lead = (name: string) => {
    const before = leader
    leader = name
    if (before) of(before).shared.setLeader(false)
    of(name).shared.setLeader(true)
  }
  const close = (name: string) => {
    of(name).shared.stop()
    all.delete(name)
  }
  const crash = async (name: string) => {
    all.delete(name)
    ends.get(name)?.()
    await Promise.resolve()
  }
  return { of, lead, close, crash }
}

function listener() {
  const received: string[] = []
  const listens: TopicListener = {
    joined: () => received.push('joined'),
    received: (event) => received.push(event.event),
    lost: () => received.push('lost'),
  }
  return { received, listens }
}

describe('topics of several tabs', () => {
  it('are subscribed once, by the leader, and forwarded to all tabs that use them', () => {
    const { of, lead } = tabs('one', 'two')
    lead('one')
    const [a, b] = [listener(), listener()]
    of('one').shared.subscribe('t', a.listens)
    of('two').shared.subscribe('t', b.listens)
    expect(of('two').socket.size).toBe(0)
    of('one').socket.get('t')?.joined()
    of('one').socket.get('t')?.received({ event: 'message', payload: {} })
    expect(a.received).toEqual(['joined', 'message'])
    expect(b.received).toEqual(['joined', 'message'])
  })

  it('are reported as joined at once to a tab that subscribes later', () => {
    const { of, lead } = tabs('one', 'two')
    lead('one')
    of('one').shared.subscribe('t', listener().listens)
    of('one').socket.get('t')?.joined()
    const late = listener()
    of('two').shared.subscribe('t', late.listens)
    expect(late.received).toEqual(['joined'])
    expect(of('two').shared.live()).toBe(true)
  })

  it('move to the next leader, where all join again', () => {
    const { of, lead } = tabs('one', 'two', 'three')
    lead('one')
    const [a, c] = [listener(), listener()]
    of('one').shared.subscribe('t', a.listens)
    of('three').shared.subscribe('t', c.listens)
    of('one').socket.get('t')?.joined()
    lead('two')
    expect(of('one').socket.size).toBe(0)
    of('two').socket.get('t')?.joined()
    expect(a.received).toEqual(['joined', 'joined'])
    expect(c.received).toEqual(['joined', 'joined'])
  })

  it('wait for a leader', () => {
    const { of, lead } = tabs('one', 'two')
    const early = listener()
    of('two').shared.subscribe('t', early.listens)
    lead('one')
    of('one').socket.get('t')?.joined()
    expect(early.received).toEqual(['joined'])
  })

  it('are left when no tab subscribes any more, a closed tab included', () => {
    const { of, lead, close } = tabs('one', 'two')
    lead('one')
    const leave = of('one').shared.subscribe('t', listener().listens)
    of('two').shared.subscribe('t', listener().listens)
    leave()
    expect(of('one').socket.has('t')).toBe(true)
    close('two')
    expect(of('one').socket.has('t')).toBe(false)
  })

  it('that are lost are lost for all tabs, and joined again by a new subscription', () => {
    const { of, lead } = tabs('one', 'two')
    lead('one')
    const b = listener()
    const leave = of('two').shared.subscribe('t', b.listens)
    of('one').socket.get('t')?.lost()
    expect(b.received).toEqual(['lost'])
    leave()
    of('two').shared.subscribe('t', b.listens)
    of('one').socket.get('t')?.joined()
    expect(b.received).toEqual(['lost', 'joined'])
  })

  it('are left when the only subscribed tab crashes', async () => {
    const { of, lead, crash } = tabs('one', 'two', 'three')
    lead('one')
    of('two').shared.subscribe('a', listener().listens)
    of('two').shared.subscribe('b', listener().listens)
    of('three').shared.subscribe('b', listener().listens)
    expect([...of('one').socket.keys()]).toEqual(['a', 'b'])
    await crash('two')
    expect([...of('one').socket.keys()]).toEqual(['b'])
  })
})
