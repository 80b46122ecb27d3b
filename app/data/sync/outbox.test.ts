import { describe, expect, it } from 'vitest'
import type { Message } from '../../../wire/linnet.ts'
import type { Failure, Outcome } from '../failures.ts'
import { buildBootstrap, buildEntry, buildMessage, buildPage, LOBBY, ME } from './buildRows.ts'
import { createOutbox } from './outbox.ts'
import type { OutboxItem } from './outbox.ts'
import { createStore } from './store.ts'
import { NOTHING_KNOWN } from './known.ts'

const later: Failure = { name: 'network', sentence: '', again: true }
const never: Failure = { name: 'not_a_member', sentence: '', again: false }

/** An outbox whose server and clock do what the test says. */
function world(start: OutboxItem[] = []) {
  const shelf = new Map(start.map((item) => [item.id, item]))
  const asked: { id: string; answer: (outcome: Outcome<unknown>) => void }[] = []
  const timers: (() => void)[] = []
  const store = createStore()
  store.dispatch({ type: 'bootstrapped', answer: buildBootstrap([buildEntry()]), known: NOTHING_KNOWN })
  store.dispatch({ type: 'pageGiven', page: buildPage(1, 10), asked: {} })
  let full = false
  const outbox = createOutbox(store, {
    call: (_name, args) =>
      new Promise((resolve) => {
        asked.push({
          id: (args as { id: string }).id,
          answer: resolve as (outcome: Outcome<unknown>) => void,
        })
      }),
    after: (_ms, run) => {
      timers.push(run)
      return () => timers.splice(timers.indexOf(run), 1)
    },
    random: () => 0.5,
    shelf: {
      all: async () => [...shelf.values()],
      add: async (item) => {
        if (full) throw new Error('the disk is full')
        shelf.set(item.id, item)
      },
      update: async (item) => {
        if (shelf.has(item.id)) shelf.set(item.id, item)
      },
      remove: async (id) => {
        shelf.delete(id)
      },
    },
    upload: async () => ({ ok: true, value: undefined }),
    leads: () => true,
    announce: () => {},
  })
  const send = (id: string) =>
    outbox.send({
      id,
      channel: LOBBY,
      threadRoot: null,
      alsoToChannel: false,
      body: id,
      files: [],
      createdAt: '2026-01-01T00:00:00Z',
    })
  const rest = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  const accept = async (message: Message) => {
    asked.shift()?.answer({ ok: true, value: { message, epoch: 1 } })
    await rest()
  }
  const refuse = async (failure: Failure) => {
    asked.shift()?.answer({ ok: false, failure })
    await rest()
  }
  const fill = () => {
    full = true
  }
  return { outbox, store, shelf, asked, timers, send, rest, accept, refuse, fill }
}

describe('the outbox', () => {
  it('keeps before it shows, and shows nothing that it could not keep', async () => {
    const { send, outbox, fill, shelf } = world()
    await send('one')
    expect(shelf.has('one')).toBe(true)
    fill()
    await expect(send('two')).rejects.toThrow('full')
    expect(outbox.items().map((item) => item.id)).toEqual(['one'])
  })

  it('sends in order, each under the id that it keeps', async () => {
    const { send, asked, accept, outbox } = world()
    await send('one')
    await send('two')
    expect(asked.map((one) => one.id)).toEqual(['one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(asked.map((one) => one.id)).toEqual(['two'])
    await accept(buildMessage(12, { id: 'two', author_id: ME }))
    expect(outbox.items()).toEqual([])
  })

  it('tries again with the same id after a lost answer, and holds back what comes after', async () => {
    const { send, asked, refuse, timers, accept } = world()
    await send('one')
    await send('two')
    await refuse(later)
    expect(asked).toEqual([])
    timers.shift()?.()
    expect(asked.map((one) => one.id)).toEqual(['one'])
    await accept(buildMessage(11, { id: 'one' }))
    expect(asked.map((one) => one.id)).toEqual(['two'])
  })

  it('sets a refused one aside with its reason, lets the next pass, and sends it when asked', async () => {
    const { send, asked, refuse, outbox } = world()
    await send('one')
    await send('two')
    await refuse(never)
    expect(outbox.items()[0]).toMatchObject({ id: 'one', state: 'failed', failure: never })
    expect(asked.map((one) => one.id)).toEqual(['two'])
    await outbox.retry('one')
    await refuse(later)
    expect(outbox.items()[0]?.state).toBe('pending')
  })

  it('takes one back, and gives its words', async () => {
    const { send, refuse, outbox, shelf } = world()
    await send('one')
    await refuse(never)
    expect((await outbox.discard('one'))?.body).toBe('one')
    expect(outbox.items()).toEqual([])
    expect(shelf.size).toBe(0)
  })

  it('goes on after a reload', async () => {
    const first = world()
    await first.send('one')
    first.outbox.stop()
    const second = world([...first.shelf.values()])
    await second.outbox.reload()
    expect(second.asked.map((one) => one.id)).toEqual(['one'])
  })

  it('keeps the overlay until the row has its place', async () => {
    const { send, accept, outbox, store } = world()
    await send('one')
    // Somebody else was first: 11 is still on its way.
    await accept(buildMessage(12, { id: 'one', rev: 12, author_id: ME }))
    expect(outbox.landed().map((message) => message.id)).toEqual(['one'])
    store.dispatch({
      type: 'changesGiven',
      after: 10,
      changes: {
        channel_id: LOBBY,
        reset: false,
        messages: [buildMessage(11), buildMessage(12, { id: 'one', author_id: ME })],
        entry: null,
        epoch: 1,
        rev: 12,
      },
    })
    expect(outbox.landed()).toEqual([])
    expect(store.get().channels.get(LOBBY)?.messages.has('one')).toBe(true)
  })

  it('does not fail a message that was taken back while it was asked', async () => {
    const { send, refuse, outbox } = world()
    await send('one')
    await outbox.discard('one')
    await refuse(never)
    expect(outbox.items()).toEqual([])
  })
})
