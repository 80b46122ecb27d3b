import { describe, expect, it } from 'vitest'
import { buildMessage } from '../../store/buildRows.fixture.ts'
import type { OutboxFile } from '../mutation.ts'
import { discardMutation } from '../coalesceMutation.ts'
import { file, temporaryFailure, rejection, createTestOutbox } from '../createTestOutbox.fixture.ts'
import type { TestStorage } from '../createTestOutbox.fixture.ts'
import type { UploadResult, UploadControl } from './fileUploads.ts'
import { updateFile, resumeFile, removeFile } from './outboxFiles.ts'

const named = (id: string): OutboxFile => ({ ...file, id })

/** Uploads that end when the test ends them, or when they are aborted. */
function createTestUploads() {
  const pending = new Map<string, (uploaded: UploadResult) => void>()
  const aborted: string[] = []
  const controls = new Map<string, UploadControl>()
  const upload = (one: OutboxFile, control: UploadControl) =>
    new Promise<UploadResult>((resolve) => {
      pending.set(one.id, resolve)
      controls.set(one.id, control)
      control.signal.addEventListener('abort', () => {
        aborted.push(`${one.id} ${control.signal.reason}`)
        resolve({ ok: false, failure: temporaryFailure, sent: 2 })
      })
    })
  const end = (id: string, uploaded: UploadResult = { ok: true, value: undefined }) =>
    pending.get(id)?.(uploaded)
  return { bring: upload, end, halted: aborted, how: controls }
}

function createFixture(storage: TestStorage = { mutations: [] }, isLeader = () => true) {
  const uploads = createTestUploads()
  const testOutbox = createTestOutbox(storage, isLeader, uploads.bring)
  const end = async (id: string, uploaded?: UploadResult) => {
    uploads.end(id, uploaded)
    await testOutbox.settle()
  }
  const filesOf = (id: string) => {
    const mutation = storage.mutations.find((one) => one.id === id)
    return mutation?.kind === 'send' ? mutation.files : []
  }
  return { ...testOutbox, ...uploads, end, filesOf }
}

describe('a message with files', () => {
  it('does not delay other messages, and is ordered after them when its files are uploaded', async () => {
    const { send, names, end, accept, outbox } = createFixture()
    await send('tables', [named('a')])
    await send('one')
    await send('two')
    expect(names()).toEqual(['send_message one'])
    // Shown at its future position.
    expect(outbox.items().map((item) => item.id)).toEqual(['one', 'two', 'tables'])
    await end('a')
    expect(outbox.items().map((item) => item.id)).toEqual(['one', 'two', 'tables'])
    await accept(buildMessage(11, { id: 'one' }))
    expect(names()).toEqual(['send_message two'])
    await accept(buildMessage(12, { id: 'two' }))
    expect(names()).toEqual(['send_message tables'])
    // Later messages wait for it, as for all messages before them.
    await send('three')
    expect(names()).toEqual(['send_message tables'])
  })

  it('uploads three at once, also while the maximum of requests runs', async () => {
    const { send, uploads, end, put, requests } = createFixture()
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
    const { send, end, names, uploads, advanceTime } = createFixture()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: temporaryFailure })
    await end('b')
    expect(names()).toEqual([])
    await advanceTime(2_000)
    expect(uploads).toEqual(['a', 'b', 'a'])
    await end('a')
    expect(names()).toEqual(['send_message m'])
  })

  it('is repeated with the first backoff when the last attempt made progress', async () => {
    const { send, end, uploads, advanceTime } = createFixture()
    await send('m', [named('a')])
    for (let count = 0; count < 5; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await end('a', { ok: false, failure: temporaryFailure, progressed: true })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await advanceTime(2_000)
    }
    expect(uploads).toHaveLength(6)
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await advanceTime(2_000)
    await end('a', { ok: false, failure: temporaryFailure, progressed: false })
    await advanceTime(2_000)
    // Without getting on it waits ever longer.
    expect(uploads).toHaveLength(7)
  })

  it('is refused with the reason of its file, once the others are there', async () => {
    const { send, end, outbox, filesOf, uploads, settle } = createFixture()
    await send('m', [named('a'), named('b')])
    await end('a', { ok: false, failure: rejection })
    expect(outbox.items()[0]).toMatchObject({ state: 'pending', failure: null })
    expect(filesOf('m')).toMatchObject([{ failure: rejection }, { uploaded: false }])
    await end('b')
    expect(outbox.items()[0]).toMatchObject({ state: 'failed', failure: rejection })
    // Tried again, what is there is not brought again.
    await outbox.retry('m')
    await settle()
    expect(uploads).toEqual(['a', 'b', 'a'])
  })

  it('brings all of them again where the server had swept them', async () => {
    const { send, end, refuse, outbox, uploads, settle } = createFixture()
    await send('m', [named('a')])
    await end('a')
    await refuse({ ...rejection, name: 'attachments_missing' })
    await outbox.retry('m')
    await settle()
    expect(uploads).toEqual(['a', 'a'])
  })
})

describe('a file', () => {
  it('that is paused waits, also in another page, until it is to go on where the server has it', async () => {
    const first = createFixture()
    await first.send('m', [named('a'), named('b')])
    first.how.get('a')?.onUrl('https://server/a')
    await first.settle()
    await first.outbox.update((mutations) => updateFile(mutations, 'a', { paused: true }))
    await first.settle()
    expect(first.halted).toEqual(['a paused'])
    await first.end('b')
    expect(first.names()).toEqual([])
    first.outbox.stop()

    const second = createFixture(first.storage)
    await second.outbox.reload()
    await second.settle()
    expect(second.uploads).toEqual([])
    expect(second.filesOf('m')[0]).toMatchObject({ paused: true, sent: 2, url: 'https://server/a' })
    await second.outbox.update((mutations) => resumeFile(mutations, 'a'))
    await second.settle()
    expect(second.uploads).toEqual(['a'])
    await second.end('a')
    expect(second.names()).toEqual(['send_message m'])
  })

  it('that is removed no longer delays its message, and its upload is deleted on the server', async () => {
    const {
      send,
      end,
      outbox,
      names,
      halted: aborted,
      requests,
      settle,
      abandoned,
      how: controls,
    } = createFixture()
    await send('m', [named('a'), named('b')])
    controls.get('a')?.onUrl('https://server/a')
    await end('b')
    await outbox.update((mutations) => updateFile(mutations, 'a', { paused: true }))
    await settle()
    await outbox.update((mutations) => removeFile(mutations, 'a'))
    await settle()
    expect(aborted).toEqual(['a paused'])
    expect(abandoned).toEqual(['https://server/a'])
    expect(names()).toEqual(['send_message m'])
    expect(requests[0]?.args).toMatchObject({ attachments: [{ id: 'b' }] })
    // Asked already: what the server may have is not taken from it in silence.
    await outbox.update((mutations) => removeFile(mutations, 'b'))
    expect(outbox.items()).toMatchObject([{ files: [{ id: 'b' }] }])
  })

  it('that runs ends when its message is discarded', async () => {
    const { send, outbox, halted: aborted, settle, abandoned } = createFixture()
    await send('m', [named('a')])
    await outbox.update((mutations) => discardMutation(mutations, 'm', 'd', 1))
    await settle()
    expect([aborted, outbox.mutations(), abandoned]).toEqual([['a removed'], [], []])
  })

  it('that was the only reason why a message was refused no longer delays it once removed', async () => {
    const { send, end, outbox, names, settle } = createFixture()
    await send('m', [named('a'), named('b')])
    await end('a')
    await end('b', { ok: false, failure: rejection })
    expect(outbox.items()[0]?.state).toBe('failed')
    await outbox.update((mutations) => removeFile(mutations, 'b'))
    await settle()
    expect(names()).toEqual(['send_message m'])
  })

  it('is released by a page that is no longer the leader, and continues in the new leader', async () => {
    const storage: TestStorage = { mutations: [] }
    let leader = 1
    const one = createFixture(storage, () => leader === 1)
    const two = createFixture(storage, () => leader === 2)
    await one.send('m', [named('a')])
    await two.outbox.reload()
    await two.settle()
    expect([one.uploads, two.uploads]).toEqual([['a'], []])
    leader = 2
    one.outbox.retryNow()
    two.outbox.retryNow()
    await two.settle()
    expect([one.halted, two.uploads]).toEqual([['a stopped'], ['a']])
    await one.advanceTime(60_000)
    expect(one.uploads).toEqual(['a'])
  })
})
