import { describe, expect, it } from 'vitest'
import type { CommandName, Message } from '../../../wire/linnet.ts'
import type { Failure, Outcome } from '../failures.ts'
import { buildBootstrap, buildEntry, buildMessage, buildPage, LOBBY, ME } from './buildRows.ts'
import type { Deed, OutboxFile, Wish } from './deeds.ts'
import { NOTHING_KNOWN } from './known.ts'
import { createOutbox } from './outbox.ts'
import { createStore } from './store.ts'

const later: Failure = { name: 'network', sentence: '', again: true }
const never: Failure = { name: 'not_a_member', sentence: '', again: false }
const file: OutboxFile = {
  id: 'file',
  name: 'tide.png',
  type: 'image/png',
  size: 3,
  width: null,
  height: null,
  blob: new Blob(['abc']),
  thumb: null,
  uploaded: false,
}

/** A device that pages share, and what it keeps. */
interface Shelf {
  deeds: readonly Deed[]
}

/** An outbox whose server and clock do what the test says. */
function world(shelf: Shelf = { deeds: [] }) {
  const asked: { name: CommandName; args: { id?: string }; answer: (outcome: Outcome<unknown>) => void }[] =
    []
  let timers: { at: number; run: () => void }[] = []
  const store = createStore()
  store.dispatch({ type: 'bootstrapped', answer: buildBootstrap([buildEntry()]), known: NOTHING_KNOWN })
  store.dispatch({ type: 'pageGiven', page: buildPage(1, 10), asked: {} })
  let now = 1_000
  let ids = 0
  const mishaps: Failure[] = []
  const uploads: string[] = []
  const outbox = createOutbox(store, {
    call: (name, args) =>
      new Promise((resolve) => {
        asked.push({
          name,
          args: args as { id?: string },
          answer: resolve as (outcome: Outcome<unknown>) => void,
        })
      }),
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    random: () => 0.5,
    clock: () => now,
    uuid: () => `id ${(ids += 1)}`,
    shelf: {
      all: async () => shelf.deeds,
      change: async (how) => {
        shelf.deeds = how(shelf.deeds)
        return shelf.deeds
      },
    },
    upload: async (_channel, one) => {
      uploads.push(one.id)
      return { ok: true, value: undefined }
    },
    leads: () => true,
    announce: () => {},
    mishap: (failure) => mishaps.push(failure),
  })
  const rest = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  const put = async (wish: Wish) => {
    await outbox.put(wish)
    await rest()
  }
  const words = { channel: LOBBY, threadRoot: null, alsoToChannel: false, createdAt: '' }
  const send = (id: string, files: OutboxFile[] = []) => put({ kind: 'send', id, body: id, files, ...words })
  const edit = (id: string, message: string, body: string) =>
    put({ kind: 'edit', id, message, body, files: [], ...words })
  const accept = async (message: Message) => {
    asked.shift()?.answer({ ok: true, value: { message, epoch: 1 } })
    await rest()
  }
  const refuse = async (failure: Failure) => {
    asked.shift()?.answer({ ok: false, failure })
    await rest()
  }
  const pass = async (ms: number) => {
    now += ms
    const due = timers.filter((timer) => timer.at <= now)
    timers = timers.filter((timer) => timer.at > now)
    for (const timer of due) timer.run()
    await rest()
  }
  const names = () => asked.map((one) => `${one.name} ${one.args.id}`)
  return { outbox, store, shelf, asked, names, put, send, edit, rest, accept, refuse, pass, mishaps, uploads }
}

describe('what was written', () => {
  it('is kept before it is shown', async () => {
    const { send, outbox, shelf } = world()
    const sent = send('one')
    expect(outbox.items()).toEqual([])
    await sent
    expect(shelf.deeds.map((deed) => deed.id)).toEqual(['one'])
    expect(outbox.items().map((item) => item.id)).toEqual(['one'])
  })

  it('is sent in order, each under the id that it keeps', async () => {
    const { send, names, accept, outbox } = world()
    await send('one')
    await send('two')
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(names()).toEqual(['send_message two'])
    await accept(buildMessage(12, { id: 'two', author_id: ME }))
    expect(outbox.items()).toEqual([])
  })

  it('is tried again with the same id after a lost answer, and holds back what comes after', async () => {
    const { send, names, refuse, pass, accept } = world()
    await send('one')
    await send('two')
    await refuse(later)
    expect(names()).toEqual([])
    await pass(1_000)
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one' }))
    expect(names()).toEqual(['send_message two'])
  })

  it('is set aside with its reason when refused, lets the next pass, and is sent when asked', async () => {
    const { send, names, refuse, outbox } = world()
    await send('one')
    await send('two')
    await refuse(never)
    expect(outbox.items()[0]).toMatchObject({ id: 'one', state: 'failed', failure: never })
    expect(names()).toEqual(['send_message two'])
    await outbox.retry('one')
    await refuse(later)
    expect(outbox.items()[0]?.state).toBe('pending')
  })

  it('comes back with its words and files', async () => {
    const { send, refuse, outbox, shelf } = world()
    await send('one', [file])
    await refuse(never)
    expect(await outbox.discard('one')).toMatchObject({
      body: 'one',
      files: [{ id: 'file', blob: file.blob }],
    })
    expect(outbox.items()).toEqual([])
    expect(shelf.deeds).toEqual([])
  })

  it('goes on after a reload; a file that was uploaded is not uploaded again', async () => {
    const first = world()
    await first.send('one', [file])
    expect(first.uploads).toEqual(['file'])
    first.outbox.stop()
    const second = world(first.shelf)
    await second.outbox.reload()
    await second.rest()
    expect(second.names()).toEqual(['send_message one'])
    expect(second.uploads).toEqual([])
  })

  it('stays on the screen until the row has its place', async () => {
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

  it('taken back while it is asked does not fail, and is deleted if it arrived', async () => {
    const { send, refuse, outbox, names, accept } = world()
    await send('one')
    await outbox.discard('one')
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(names()).toEqual(['delete_message one'])
    await refuse({ ...never, name: 'not_found' })
    expect(outbox.deeds()).toEqual([])
  })

  it('changed while it is asked is changed after it', async () => {
    const { send, edit, accept, names, asked } = world()
    await send('one')
    await edit('change', 'one', 'better')
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(asked[0]).toMatchObject({
      name: 'edit_message',
      args: { id: 'one', body: 'better', edit: 'change' },
    })
  })
})

describe('deeds', () => {
  it('of other messages do not wait for a message that can not be sent', async () => {
    const { send, edit, names, refuse } = world()
    await send('one')
    await refuse(later)
    await edit('change', buildMessage(3).id, 'better')
    expect(names()).toEqual([`edit_message ${buildMessage(3).id}`])
  })

  it('wait for their time, and are asked at once after a clock that was set back', async () => {
    const { put, names, pass } = world()
    const deed = { kind: 'delete' as const, channel: LOBBY }
    await put({ ...deed, id: 'one', message: 'a', notBefore: 8_000 })
    expect(names()).toEqual([])
    await pass(6_900)
    expect(names()).toEqual([])
    await pass(100)
    expect(names()).toEqual(['delete_message a'])
    await put({ ...deed, id: 'two', message: 'b', notBefore: 9_000_000_000 })
    expect(names()).toEqual(['delete_message a', 'delete_message b'])
  })

  it('without words fall away when refused, and say so unless nothing is left to do', async () => {
    const { put, refuse, outbox, mishaps } = world()
    const deed = { kind: 'react' as const, channel: LOBBY, message: 'a', on: true }
    await put({ ...deed, id: 'one', emoji: '👍' })
    await refuse({ ...never, name: 'message_deleted' })
    await put({ ...deed, id: 'two', emoji: '👍' })
    await refuse({ ...never, name: 'reactions_kinds' })
    expect(mishaps.map((one) => one.name)).toEqual(['reactions_kinds'])
    expect(outbox.deeds()).toEqual([])
  })

  it('that change words keep them when refused, as words of their own', async () => {
    const { edit, refuse, outbox } = world()
    await edit('change', buildMessage(3).id, 'better')
    expect(outbox.items()).toEqual([])
    await refuse({ ...never, name: 'message_deleted' })
    expect(outbox.items()).toMatchObject([{ kind: 'edit', body: 'better', state: 'failed' }])
  })
})

/** All orders of these. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((one, index) =>
    orders([...list.slice(0, index), ...list.slice(index + 1)]).map((rest) => [one].concat(rest)),
  )
}

describe('one message in the end, or none, in every order of', () => {
  type Step = 'told' | 'reload' | 'change' | 'delete'
  const steps: Step[] = ['told', 'reload', 'change', 'delete']
  const cases = orders(steps).flatMap((order) => [
    { order, cut: false },
    { order, cut: true },
  ])

  it.each(cases)('$order, the answer cut: $cut', async ({ order, cut }) => {
    // A home that takes the message with the first request, and whose first answer may be lost.
    let there: Message | null = null
    let rev = 10
    const shelf: Shelf = { deeds: [] }
    let page = world(shelf)
    let lost = cut
    const serve = async () => {
      while (page.asked.length > 0 || page.outbox.busy() > 0) {
        const one = page.asked.shift()
        if (one) {
          rev += 1
          const { body } = one.args as { body?: string }
          if (one.name === 'send_message') there ??= buildMessage(11, { id: 'm', rev, body, author_id: ME })
          const held: Message | null = there
          if (!held) one.answer({ ok: false, failure: { ...never, name: 'not_found' } })
          else {
            if (one.name === 'edit_message') there = { ...held, rev, body: body ?? '' }
            if (one.name === 'delete_message') there = { ...held, rev, body: '', deleted_at: 'now' }
            if (lost) one.answer({ ok: false, failure: later })
            else one.answer({ ok: true, value: { message: there, epoch: 1 } })
            lost = false
          }
        }
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        await page.pass(2_000)
      }
    }
    await page.send('m')
    for (const step of order) {
      const deed = { kind: 'delete' as const, id: 'd', channel: LOBBY, message: 'm' }
      if (step === 'reload') {
        page.outbox.stop()
        page = world(shelf)
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        await page.outbox.reload()
      }
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'change') await page.edit('e', 'm', 'better')
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'delete') await page.put(deed)
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'told') await serve()
    }
    await serve()
    expect(shelf.deeds).toEqual([])
    const deleted = there === null || (there as Message).deleted_at !== null
    expect(deleted).toBe(true)
    expect(page.mishaps).toEqual([])
  })
})
