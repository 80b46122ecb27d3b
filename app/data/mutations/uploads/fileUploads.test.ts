import { describe, expect, it } from 'vitest'
import { buildMessage } from '../../store/buildRows.fixture.ts'
import type { OutboxFile } from '../mutation.ts'
import { discardMutation } from '../coalesceMutation.ts'
import { file, temporaryFailure, rejection, createTestOutbox } from '../createTestOutbox.fixture.ts'
import type { TestStorage } from '../createTestOutbox.fixture.ts'
import type { UploadResult, UploadControl } from './fileUploads.ts'
import { updateFile, resumeFile, removeFile } from './outboxFiles.ts'

const named = (id: string): OutboxFile => ({ ...file, id })

/** Uploads that end when the test ends them, or when they are halted. */
function heldUploads() {
  const held = new Map<string, (uploaded: UploadResult) => void>()
  const halted: string[] = []
  const how = new Map<string, UploadControl>()
  const bring = (one: OutboxFile, given: UploadControl) =>
    new Promise<UploadResult>((resolve) => {
      held.set(one.id, resolve)
      how.set(one.id, given)
      given.signal.addEventListener('abort', () => {
        halted.push(`${one.id} ${given.signal.reason}`)
        resolve({ ok: false, failure: temporaryFailure, sent: 2 })
      })
    })
  const end = (id: string, uploaded: UploadResult = { ok: true, value: undefined }) =>
    held.get(id)?.(uploaded)
  return { bring, end, halted, how }
}

function world(storage: TestStorage = { mutations: [] }, leads = () => true) {
  const uploads = heldUploads()
  const made = createTestOutbox(storage, leads, uploads.bring)
  const end = async (id: string, uploaded?: UploadResult) => {
    uploads.end(id, uploaded)
    await made.rest()
  }
  const filesOf = (id: string) => {
    const mutation = storage.mutations.find((one) => one.id === id)
    return mutation?.kind === 'send' ? mutation.files : []
  }
  return { ...made, ...uploads, end, filesOf }
}

describe('a message with files', () => {
  it('does not delay other messages, and is ordered after them when its files are uploaded', async () => {
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

  it('uploads three at once, also while the maximum of requests runs', async () => {
    const { send, uploads, end, put, requests } = world()
    await send('m', ['a', 'b', 'c', 'd'].map(named))
    expect(uploads).toEqual(['a', 'b', 'c'])
    await end('b')
    expect(uploads).toEqual(['a', 'b', 'c', 'd'])
    const react = { kind: 'react' as const, channel: 'x', emoji: '👍', on: true }
    for (const id of ['1', '2', '3', '4']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put({ ...react, id, message: id })
    }
    expect(requests).toHaveLength(4)
  })

  it('is sent with all of them after one upload was repeated', async () => {
    const { send, end, names, uploads, pass } = world()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: temporaryFailure })
    await end('b')
    expect(names()).toEqual([])
    await pass(2_000)
    expect(uploads).toEqual(['a', 'b', 'a'])
    await end('a')
    expect(names()).toEqual(['send_message m'])
  })

  it('is repeated with the first backoff when the last attempt made progress', async () => {
    const { send, end, uploads, pass } = world()
    await send('m', [named('a')])
    for (let count = 0; count < 5; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await end('a', { ok: false, failure: temporaryFailure, progressed: true })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await pass(2_000)
    }
    expect(uploads).toHaveLength(6)
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await pass(2_000)
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await pass(2_000)
    // Without getting on it waits ever longer.
    expect(uploads).toHaveLength(7)
  })

  it('is refused with the reason of its file, once the others are there', async () => {
    const { send, end, outbox, filesOf, uploads, rest } = world()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: rejection })
    expect(outbox.items()[0]).toMatchObject({ state: 'pending', failure: null })
    expect(filesOf('m')).toMatchObject([{ failure: rejection }, { uploaded: false }])
    await end('b')
    expect(outbox.items()[0]).toMatchObject({ state: 'failed', failure: rejection })
    // Tried again, what is there is not brought again.
    await outbox.retry('m')
    await rest()
    expect(uploads).toEqual(['a', 'b', 'a'])
  })

  it('brings all of them again where the server had swept them', async () => {
    const { send, end, refuse, outbox, uploads, rest } = world()
    await send('m', [named('a')])
    await end('a')
    await refuse({ ...rejection, name: 'attachments_missing' })
    await outbox.retry('m')
    await rest()
    expect(uploads).toEqual(['a', 'a'])
  })
})

describe('a file', () => {
  it('that is paused waits, also in another page, until it is to go on where the server has it', async () => {
    const first = world()
    await first.send('m', [named('a'), named('b')])
    first.how.get('a')?.onUrl('https://server/a')
    await first.rest()
    await first.outbox.update((mutations) => updateFile(mutations, 'a', { paused: true }))
    await first.rest()
    expect(first.halted).toEqual(['a paused'])
    await first.end('b')
    expect(first.names()).toEqual([])
    first.outbox.stop()

    const second = world(first.storage)
    await second.outbox.reload()
    await second.rest()
    expect(second.uploads).toEqual([])
    expect(second.filesOf('m')[0]).toMatchObject({ paused: true, sent: 2, url: 'https://server/a' })
    await second.outbox.update((mutations) => resumeFile(mutations, 'a'))
    await second.rest()
    expect(second.uploads).toEqual(['a'])
    await second.end('a')
    expect(second.names()).toEqual(['send_message m'])
  })

  it('that is removed no longer delays its message, and its upload is deleted on the server', async () => {
    const { send, end, outbox, names, halted, requests, rest, abandoned, how } = world()
    await send('m', [named('a'), named('b')])
    how.get('a')?.onUrl('https://server/a')
    await end('b')
    await outbox.update((mutations) => updateFile(mutations, 'a', { paused: true }))
    await rest()
    await outbox.update((mutations) => removeFile(mutations, 'a'))
    await rest()
    expect(halted).toEqual(['a paused'])
    expect(abandoned).toEqual(['https://server/a'])
    expect(names()).toEqual(['send_message m'])
    expect(requests[0]?.args).toMatchObject({ attachments: [{ id: 'b' }] })
    // Asked already: what the server may have is not taken from it in silence.
    await outbox.update((mutations) => removeFile(mutations, 'b'))
    expect(outbox.items()).toMatchObject([{ files: [{ id: 'b' }] }])
  })

  it('that runs ends when its message is discarded', async () => {
    const { send, outbox, halted, rest, abandoned } = world()
    await send('m', [named('a')])
    await outbox.update((mutations) => discardMutation(mutations, 'm', 'd', 1))
    await rest()
    expect([halted, outbox.mutations(), abandoned]).toEqual([['a removed'], [], []])
  })

  it('for whose sake alone a message was refused frees it by going', async () => {
    const { send, end, outbox, names, rest } = world()
    await send('m', [named('a'), named('b')])
    await end('a')
    await end('b', { ok: false, failure: rejection })
    expect(outbox.items()[0]?.state).toBe('failed')
    await outbox.update((mutations) => removeFile(mutations, 'b'))
    await rest()
    expect(names()).toEqual(['send_message m'])
  })

  it('is released by a page that is no longer the leader, and continues in the new leader', async () => {
    const storage: TestStorage = { mutations: [] }
    let leader = 1
    const one = world(storage, () => leader === 1)
    const two = world(storage, () => leader === 2)
    await one.send('m', [named('a')])
    await two.outbox.reload()
    await two.rest()
    expect([one.uploads, two.uploads]).toEqual([['a'], []])
    leader = 2
    one.outbox.retryNow()
    two.outbox.retryNow()
    await two.rest()
    expect([one.halted, two.uploads]).toEqual([['a stopped'], ['a']])
    await one.pass(60_000)
    expect(one.uploads).toEqual(['a'])
  })
})
