import { describe, expect, it } from 'vitest'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  LOBBY,
  ME,
  WORKSPACE,
} from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT, takeSnapshot } from '../store/requestSnapshot.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import { DEFAULT_PREFERENCES } from '../notifications/preferences.ts'
import type { MutationResult } from './execution.ts'
import type { MutationInput } from './mutation.ts'
import { file, temporaryFailure, rejection, createTestOutbox } from './createTestOutbox.fixture.ts'
import type { TestStorage } from './createTestOutbox.fixture.ts'

describe('with several workspaces', () => {
  const other = (fixture: ReturnType<typeof createTestOutbox>) => {
    const entry = buildChannelEntry({
      channel: { ...buildChannelEntry().channel, id: 'there', workspace_id: 'other' },
    })
    const workspace = { id: 'other', name: 'Other' }
    fixture.store.dispatch({
      type: 'bootstrapReceived',
      response: { ...buildBootstrap([entry]), workspace, workspaces: [workspace] },
      snapshot: EMPTY_SNAPSHOT,
    })
  }

  it('shows only what belongs to the shown one, and sends all of it', async () => {
    const fixture = createTestOutbox()
    await fixture.send('one')
    expect(fixture.outbox.mutations().map((one) => one.id)).toEqual(['one'])
    other(fixture)
    expect(fixture.outbox.items()).toEqual([])
    expect(fixture.outbox.mutations()).toEqual([])
    expect(fixture.outbox.storedMutations().map((one) => one.id)).toEqual(['one'])
    await fixture.refuse(temporaryFailure)
    await fixture.advanceTime(1_000)
    expect(fixture.names()).toEqual(['send_message one'])
    await fixture.accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(fixture.outbox.storedMutations()).toEqual([])
    expect(fixture.outbox.unplacedMessages()).toEqual([])
  })

  it('shows the sections of the shown one', async () => {
    const fixture = createTestOutbox()
    const change = { name: 'Choir', position: 1, collapsed: false }
    await fixture.put({
      kind: 'section',
      id: 'a',
      channel: '',
      workspace: WORKSPACE,
      section: 'here',
      change,
    })
    await fixture.put({ kind: 'section', id: 'b', channel: '', workspace: 'other', section: 'there', change })
    expect(fixture.outbox.mutations().map((one) => one.id)).toEqual(['a'])
    other(fixture)
    expect(fixture.outbox.mutations().map((one) => one.id)).toEqual(['b'])
  })

  it('does not apply results of others that another tab announces', async () => {
    const { outbox, store } = createTestOutbox()
    const draft = { id: 'there', channel_id: 'there', thread_root: null, body: 'Psst', quote: null }
    const row = { ...draft, rev: 1, change_id: 'x', changed_at: '2026-01-01T00:00:00Z' }
    const result = { type: 'ownRowReceived' as const, kind: 'drafts' as const, id: 'there', row }
    await outbox.reload(result, 'other')
    expect(store.get().drafts.size).toBe(0)
    await outbox.reload(result, WORKSPACE)
    expect(store.get().drafts.size).toBe(1)
  })
})

describe('what was written', () => {
  it('is shown when the device is slow to store it, and sent once it is stored', async () => {
    const { outbox, storage, names, settle, advanceTime } = createTestOutbox()
    let store: () => void = () => {}
    const stored = new Promise<void>((resolve) => {
      store = resolve
    })
    storage.stored = stored
    const content = { channel: LOBBY, threadRoot: null, alsoToChannel: false, createdAt: '' }
    void outbox.put({ kind: 'send', id: 'one', body: 'one', files: [], ...content })
    expect(outbox.items()).toEqual([])
    await advanceTime(250)
    expect(outbox.items().map((item) => item.id)).toEqual(['one'])
    expect([storage.mutations, names()]).toEqual([[], []])
    store()
    await settle()
    expect(storage.mutations.map((mutation) => mutation.id)).toEqual(['one'])
    expect(outbox.items().map((item) => item.id)).toEqual(['one'])
    expect(names()).toEqual(['send_message one'])
  })

  it('is shown although the device could not store what was written before', async () => {
    const { outbox, storage, send } = createTestOutbox()
    let refuse: (error: Error) => void = () => {}
    storage.stored = new Promise<void>((_resolve, reject) => {
      refuse = reject
    })
    const refused = send('one')
    delete storage.stored
    await send('two')
    refuse(new Error('The disk is full.'))
    await expect(refused).rejects.toThrow('The disk is full.')
    expect(outbox.mutations().map((mutation) => mutation.id)).toEqual(['two'])
  })

  it('is sent in order, each with an id that stays the same', async () => {
    const { send, names, accept, outbox } = createTestOutbox()
    await send('one')
    await send('two')
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(names()).toEqual(['send_message two'])
    await accept(buildMessage(12, { id: 'two', author_id: ME }))
    expect(outbox.items()).toEqual([])
  })

  it('is sent again with the same id after a lost response, before later messages', async () => {
    const { send, names, refuse, advanceTime, accept } = createTestOutbox()
    await send('one')
    await send('two')
    await refuse(temporaryFailure)
    expect(names()).toEqual([])
    await advanceTime(1_000)
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one' }))
    expect(names()).toEqual(['send_message two'])
  })

  it('stays with its failure when rejected, does not block the next, and is sent by a retry', async () => {
    const { send, names, refuse, outbox } = createTestOutbox()
    await send('one')
    await send('two')
    await refuse(rejection)
    expect(outbox.items()[0]).toMatchObject({ id: 'one', state: 'failed', failure: rejection })
    expect(names()).toEqual(['send_message two'])
    await outbox.retry('one')
    await refuse(temporaryFailure)
    expect(outbox.items()[0]?.state).toBe('pending')
  })

  it('is returned with its text and files when discarded', async () => {
    const { send, refuse, outbox, storage } = createTestOutbox()
    await send('one', [file])
    await refuse(rejection)
    expect(await outbox.discard('one')).toMatchObject({
      body: 'one',
      files: [{ id: 'file', blob: file.blob }],
    })
    expect(outbox.items()).toEqual([])
    expect(storage.mutations).toEqual([])
  })

  it('is sent after a reload; a file that was uploaded is not uploaded again', async () => {
    const first = createTestOutbox()
    await first.send('one', [file])
    expect(first.uploads).toEqual(['file'])
    first.outbox.stop()
    const second = createTestOutbox(first.storage)
    await second.outbox.reload()
    await second.settle()
    expect(second.names()).toEqual(['send_message one'])
    expect(second.uploads).toEqual([])
  })

  it('is shown until its row is in the loaded range', async () => {
    const { send, accept, outbox, store } = createTestOutbox()
    await send('one')
    // Somebody else was first: 11 is still on its way.
    await accept(buildMessage(12, { id: 'one', rev: 12, author_id: ME }))
    expect(outbox.unplacedMessages().map((message) => message.id)).toEqual(['one'])
    store.dispatch({
      type: 'changesReceived',
      after: 10,
      changes: {
        channel_id: LOBBY,
        reset: false,
        after: 10,
        messages: [buildMessage(11), buildMessage(12, { id: 'one', author_id: ME })],
        entry: null,
        epoch: 1,
        rev: 12,
      },
    })
    expect(outbox.unplacedMessages()).toEqual([])
    expect(store.get().channels.get(LOBBY)?.messages.has('one')).toBe(true)
  })

  it('is sent again when the server was restored from a backup without it', async () => {
    const { send, accept, outbox, store, names, settle, requests } = createTestOutbox()
    await send('one')
    await accept(buildMessage(12, { id: 'one', rev: 12, author_id: ME, body: 'one' }))
    const known = takeSnapshot(store.get())
    const response = buildBootstrap([buildChannelEntry()])
    store.dispatch({ type: 'bootstrapReceived', response, snapshot: known })
    // Shown without a blink.
    expect(outbox.unplacedMessages()).toHaveLength(1)
    await settle()
    expect([names(), outbox.unplacedMessages()]).toEqual([['send_message one'], []])
    expect(requests[0]?.args).toMatchObject({ channel: LOBBY, body: 'one', thread_root: null })
    // Taken back meanwhile, it is not.
    await outbox.discard('one')
    await accept(buildMessage(13, { id: 'one', rev: 13, author_id: ME, body: 'one' }))
    store.dispatch({ type: 'bootstrapReceived', response, snapshot: takeSnapshot(store.get()) })
    await settle()
    expect(names()).toEqual(['delete_message one'])
  })

  it('is no failure when it was rejected and an earlier request has succeeded', async () => {
    const { send, edit, refuse, outbox, store, settle, names } = createTestOutbox()
    await send('one')
    await refuse(rejection)
    await send('two')
    await refuse(rejection)
    await edit('change', 'two', 'better')
    await refuse(rejection)
    expect(outbox.items().map((item) => item.state)).toEqual(['failed', 'failed'])
    store.dispatch({
      type: 'messageReceived',
      message: buildMessage(11, { id: 'one', author_id: ME, body: 'one' }),
    })
    store.dispatch({
      type: 'messageReceived',
      message: buildMessage(12, { id: 'two', author_id: ME, body: 'two' }),
    })
    await settle()
    expect(outbox.items()).toEqual([])
    // Its words were changed since.
    expect(outbox.mutations()).toMatchObject([{ kind: 'edit', message: 'two', body: 'better' }])
    expect(names()).toEqual(['edit_message two'])
  })

  it('that is discarded during its request does not fail, and is deleted if it arrived', async () => {
    const { send, refuse, outbox, names, accept } = createTestOutbox()
    await send('one')
    await outbox.discard('one')
    // Asked at once the deletion could arrive first, and find nothing.
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(names()).toEqual(['delete_message one'])
    await refuse({ ...rejection, name: 'not_found' })
    expect(outbox.mutations()).toEqual([])
  })

  it('that is edited during its request is edited on the server afterwards', async () => {
    const { send, edit, accept, names, requests } = createTestOutbox()
    await send('one')
    await edit('change', 'one', 'better')
    expect(names()).toEqual(['send_message one'])
    await accept(buildMessage(11, { id: 'one', author_id: ME }))
    expect(requests[0]).toMatchObject({
      name: 'edit_message',
      args: { id: 'one', body: 'better', edit: 'change' },
    })
  })
})

describe('mutations', () => {
  it('of other messages do not wait for a message that can not be sent', async () => {
    const { send, edit, names, refuse } = createTestOutbox()
    await send('one')
    await refuse(temporaryFailure)
    await edit('change', buildMessage(3).id, 'better')
    expect(names()).toEqual([`edit_message ${buildMessage(3).id}`])
  })

  it('wait until they are due, and are sent at once after the clock was set back', async () => {
    const { put, names, advanceTime } = createTestOutbox()
    const mutation = { kind: 'delete' as const, channel: LOBBY }
    await put({ ...mutation, id: 'one', message: 'a', notBefore: 8_000 })
    expect(names()).toEqual([])
    await advanceTime(6_900)
    expect(names()).toEqual([])
    await advanceTime(100)
    expect(names()).toEqual(['delete_message a'])
    await put({ ...mutation, id: 'two', message: 'b', notBefore: 9_000_000_000 })
    expect(names()).toEqual(['delete_message a', 'delete_message b'])
  })

  it('without text are removed when rejected, and reported unless they have no effect', async () => {
    const { put, refuse, outbox, rejections } = createTestOutbox()
    const mutation = { kind: 'react' as const, channel: LOBBY, message: 'a', on: true }
    await put({ ...mutation, id: 'one', emoji: '👍' })
    await refuse({ ...rejection, name: 'message_deleted' })
    await put({ ...mutation, id: 'two', emoji: '👍' })
    await refuse({ ...rejection, name: 'reactions_kinds' })
    expect(rejections.map((one) => one.name)).toEqual(['reactions_kinds'])
    expect(outbox.mutations()).toEqual([])
  })

  it('that edit a message keep their text when rejected, as a separate item', async () => {
    const { edit, refuse, outbox } = createTestOutbox()
    await edit('change', buildMessage(3).id, 'better')
    expect(outbox.items()).toEqual([])
    await refuse({ ...rejection, name: 'message_deleted' })
    expect(outbox.items()).toMatchObject([{ kind: 'edit', body: 'better', state: 'failed' }])
  })
})

describe('pages of one person', () => {
  it('show what waits, and send it once they lead', async () => {
    const storage: TestStorage = { mutations: [] }
    let leading = false
    const one = createTestOutbox(storage)
    const two = createTestOutbox(storage, () => leading)
    await two.send('m')
    expect(two.outbox.items()).toHaveLength(1)
    expect(two.names()).toEqual([])
    // The leader crashes before it receives the change.
    one.outbox.stop()
    leading = true
    two.outbox.retryNow()
    await two.settle()
    expect(two.names()).toEqual(['send_message m'])
  })

  it('do no harm where two lead for a moment', async () => {
    const storage: TestStorage = { mutations: [] }
    const [one, two] = [createTestOutbox(storage), createTestOutbox(storage)]
    await one.send('m')
    await two.outbox.reload()
    await two.settle()
    expect([one.names(), two.names()]).toEqual([['send_message m'], ['send_message m']])
    const message = buildMessage(11, { id: 'm', author_id: ME })
    await one.accept(message)
    // Changed in one page while the other still requests what is over.
    await one.edit('e', 'm', 'better')
    await two.accept(message)
    expect(storage.mutations.map((mutation) => mutation.id)).toEqual(['e'])
    await one.accept({ ...message, body: 'better', rev: 12 })
    expect(storage.mutations).toEqual([])
  })

  it('take the response that another page received before they remove the optimistic update', async () => {
    const storage: TestStorage = { mutations: [] }
    const [one, two] = [createTestOutbox(storage), createTestOutbox(storage, () => false)]
    const id = buildMessage(3).id
    await one.edit('e', id, 'better')
    await two.outbox.reload()
    const body = () => two.store.get().channels.get(LOBBY)?.messages.get(id)?.body
    const shown: unknown[] = []
    two.outbox.subscribe(() => {
      if (two.outbox.mutations().length === 0) shown.push(body())
    })
    const message = { ...buildMessage(3), body: 'better', rev: 11 }
    await one.accept(message)
    await two.outbox.reload({ type: 'messageReceived', message })
    expect(shown).toEqual(['better'])
  })
})

describe('preferences', () => {
  const workspace = WORKSPACE
  it.each<{ input: MutationInput & { change: object }; saved: MutationResult }>([
    {
      input: { kind: 'preferences', id: 'one', channel: LOBBY, change: { muted: true } },
      saved: { type: 'preferencesSaved', channelId: LOBBY, change: { muted: true }, rev: 2 },
    },
    {
      input: { kind: 'notificationPreferences', id: 'one', channel: '', workspace, change: { level: 'all' } },
      saved: { type: 'notificationPreferencesSaved', preferences: { ...DEFAULT_PREFERENCES, level: 'all' } },
    },
  ])(
    'of the kind $input.kind wait as long as the server can not be reached, also through a reload, and are saved once',
    async ({ input, saved }) => {
      const first = createTestOutbox()
      await first.put(input)
      for (let minute = 0; minute < 10; minute += 1) await first.advanceTime(60_000)
      expect(first.saved.length).toBeGreaterThan(5)
      first.outbox.stop()
      const second = createTestOutbox(first.storage)
      await second.outbox.reload()
      await second.settle()
      const { kind, change } = input
      expect(second.outbox.mutations()).toMatchObject([{ kind, change }])
      second.save.result = { ok: true, value: saved }
      const events: SyncEvent[] = []
      second.store.watch((event) => events.push(event))
      await second.advanceTime(60_000)
      expect([second.outbox.mutations(), second.rejections, events]).toEqual([[], [], [saved]])
    },
  )
})
