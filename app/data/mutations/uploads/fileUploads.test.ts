import { describe, expect, it } from 'vitest'
import { buildMessage } from '../../store/buildRows.ts'
import type { OutboxFile } from '../mutation.ts'
import { discardedDeed } from '../coalesceMutation.ts'
import { file, later, never, outboxWorld } from '../testOutbox.ts'
import type { Shelf } from '../testOutbox.ts'
import type { Uploaded, Uploading } from './fileUploads.ts'
import { changedFile, resumedFile, withoutFile } from './outboxFiles.ts'

const named = (id: string): OutboxFile => ({ ...file, id })

/** Uploads that end when the test says so, or when they are halted. */
function heldUploads() {
  const held = new Map<string, (uploaded: Uploaded) => void>()
  const halted: string[] = []
  const how = new Map<string, Uploading>()
  const bring = (one: OutboxFile, given: Uploading) =>
    new Promise<Uploaded>((resolve) => {
      held.set(one.id, resolve)
      how.set(one.id, given)
      given.signal.addEventListener('abort', () => {
        halted.push(`${one.id} ${given.signal.reason}`)
        resolve({ ok: false, failure: later, sent: 2 })
      })
    })
  const end = (id: string, uploaded: Uploaded = { ok: true, value: undefined }) => held.get(id)?.(uploaded)
  return { bring, end, halted, how }
}

function world(shelf: Shelf = { deeds: [] }, leads = () => true) {
  const uploads = heldUploads()
  const made = outboxWorld(shelf, leads, uploads.bring)
  const end = async (id: string, uploaded?: Uploaded) => {
    uploads.end(id, uploaded)
    await made.rest()
  }
  const filesOf = (id: string) => {
    const deed = shelf.deeds.find((one) => one.id === id)
    return deed?.kind === 'send' ? deed.files : []
  }
  return { ...made, ...uploads, end, filesOf }
}

describe('a message with files', () => {
  it('holds up no words, and takes its place when its files are there', async () => {
    const { send, names, end, accept, outbox } = world()
    await send('tables', [named('a')])
    await send('one')
    await send('two')
    expect(names()).toEqual(['send_message one'])
    // Shown where it will stand.
    expect(outbox.items().map((item) => item.id)).toEqual(['one', 'two', 'tables'])
    await end('a')
    expect(outbox.items().map((item) => item.id)).toEqual(['one', 'two', 'tables'])
    await accept(buildMessage(11, { id: 'one' }))
    expect(names()).toEqual(['send_message two'])
    await accept(buildMessage(12, { id: 'two' }))
    expect(names()).toEqual(['send_message tables'])
    // Words that were written since wait for it, as for all that stand before them.
    await send('three')
    expect(names()).toEqual(['send_message tables'])
  })

  it('brings three at once, also beside words that fill every place', async () => {
    const { send, uploads, end, put, asked } = world()
    await send('m', ['a', 'b', 'c', 'd'].map(named))
    expect(uploads).toEqual(['a', 'b', 'c'])
    await end('b')
    expect(uploads).toEqual(['a', 'b', 'c', 'd'])
    const react = { kind: 'react' as const, channel: 'x', emoji: '👍', on: true }
    for (const id of ['1', '2', '3', '4']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put({ ...react, id, message: id })
    }
    expect(asked).toHaveLength(4)
  })

  it('is sent with all of them, though one had to be tried again', async () => {
    const { send, end, names, uploads, pass } = world()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: later })
    await end('b')
    expect(names()).toEqual([])
    await pass(2_000)
    expect(uploads).toEqual(['a', 'b', 'a'])
    await end('a')
    expect(names()).toEqual(['send_message m'])
  })

  it('is tried again at once as after the first fault, when it got on meanwhile', async () => {
    const { send, end, uploads, pass } = world()
    await send('m', [named('a')])
    for (let count = 0; count < 5; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await end('a', { ok: false, failure: later, moved: true })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await pass(2_000)
    }
    expect(uploads).toHaveLength(6)
    await end('a', { ok: false, failure: later, moved: false })
    await end('a', { ok: false, failure: later, moved: false })
    await pass(2_000)
    await end('a', { ok: false, failure: later, moved: false })
    await pass(2_000)
    // Without getting on it waits ever longer.
    expect(uploads).toHaveLength(7)
  })

  it('is refused with the reason of its file, once the others are there', async () => {
    const { send, end, outbox, filesOf, uploads, rest } = world()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: never })
    expect(outbox.items()[0]).toMatchObject({ state: 'pending', failure: null })
    expect(filesOf('m')).toMatchObject([{ failure: never }, { uploaded: false }])
    await end('b')
    expect(outbox.items()[0]).toMatchObject({ state: 'failed', failure: never })
    // Tried again, what is there is not brought again.
    await outbox.retry('m')
    await rest()
    expect(uploads).toEqual(['a', 'b', 'a'])
  })

  it('brings all of them again where the server had swept them', async () => {
    const { send, end, refuse, outbox, uploads, rest } = world()
    await send('m', [named('a')])
    await end('a')
    await refuse({ ...never, name: 'attachments_missing' })
    await outbox.retry('m')
    await rest()
    expect(uploads).toEqual(['a', 'a'])
  })
})

describe('a file', () => {
  it('that is paused waits, also in another page, until it is to go on where the server has it', async () => {
    const first = world()
    await first.send('m', [named('a'), named('b')])
    first.how.get('a')?.at('https://server/a')
    await first.rest()
    await first.outbox.fold((deeds) => changedFile(deeds, 'a', { paused: true }))
    await first.rest()
    expect(first.halted).toEqual(['a paused'])
    await first.end('b')
    expect(first.names()).toEqual([])
    first.outbox.stop()

    const second = world(first.shelf)
    await second.outbox.reload()
    await second.rest()
    expect(second.uploads).toEqual([])
    expect(second.filesOf('m')[0]).toMatchObject({ paused: true, sent: 2, url: 'https://server/a' })
    await second.outbox.fold((deeds) => resumedFile(deeds, 'a'))
    await second.rest()
    expect(second.uploads).toEqual(['a'])
    await second.end('a')
    expect(second.names()).toEqual(['send_message m'])
  })

  it('that is taken out lets its message go, and has the server forget it', async () => {
    const { send, end, outbox, names, halted, asked, rest, abandoned, how } = world()
    await send('m', [named('a'), named('b')])
    how.get('a')?.at('https://server/a')
    await end('b')
    await outbox.fold((deeds) => changedFile(deeds, 'a', { paused: true }))
    await rest()
    await outbox.fold((deeds) => withoutFile(deeds, 'a'))
    await rest()
    expect(halted).toEqual(['a paused'])
    expect(abandoned).toEqual(['https://server/a'])
    expect(names()).toEqual(['send_message m'])
    expect(asked[0]?.args).toMatchObject({ attachments: [{ id: 'b' }] })
    // Asked already: what the server may have is not taken from it in silence.
    await outbox.fold((deeds) => withoutFile(deeds, 'b'))
    expect(outbox.items()).toMatchObject([{ files: [{ id: 'b' }] }])
  })

  it('that runs ends when its message is discarded', async () => {
    const { send, outbox, halted, rest, abandoned } = world()
    await send('m', [named('a')])
    await outbox.fold((deeds) => discardedDeed(deeds, 'm', 'd', 1))
    await rest()
    expect([halted, outbox.deeds(), abandoned]).toEqual([['a gone'], [], []])
  })

  it('for whose sake alone a message was refused frees it by going', async () => {
    const { send, end, outbox, names, rest } = world()
    await send('m', [named('a'), named('b')])
    await end('a')
    await end('b', { ok: false, failure: never })
    expect(outbox.items()[0]?.state).toBe('failed')
    await outbox.fold((deeds) => withoutFile(deeds, 'b'))
    await rest()
    expect(names()).toEqual(['send_message m'])
  })

  it('is let go by a page that no longer leads, and goes on in the one that does', async () => {
    const shelf: Shelf = { deeds: [] }
    let leader = 1
    const one = world(shelf, () => leader === 1)
    const two = world(shelf, () => leader === 2)
    await one.send('m', [named('a')])
    await two.outbox.reload()
    await two.rest()
    expect([one.uploads, two.uploads]).toEqual([['a'], []])
    leader = 2
    one.outbox.kick()
    two.outbox.kick()
    await two.rest()
    expect([one.halted, two.uploads]).toEqual([['a stopped'], ['a']])
    await one.pass(60_000)
    expect(one.uploads).toEqual(['a'])
  })
})
