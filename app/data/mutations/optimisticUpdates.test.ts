import { describe, expect, it } from 'vitest'
import type { Reaction } from '../../../wire/messages.ts'
import { buildMessage, buildThread, LOBBY } from '../store/buildRows.fixture.ts'
import type { Mutation, MutationInput } from './mutation.ts'
import { coalesceMutation } from './coalesceMutation.ts'
import { applyToRows, createOptimisticUpdates } from './optimisticUpdates.ts'

const message = buildMessage(5, { reactions: [{ emoji: '👍', count: 2, people: [], mine: true }] })
const words = { threadRoot: null, alsoToChannel: false, files: [], createdAt: '2026-01-01T00:00:00Z' }
const target = { channel: LOBBY, message: message.id }
const edit = (body: string): MutationInput => ({ kind: 'edit', id: body, ...target, ...words, body })
const react = (emoji: string, on: boolean): MutationInput => ({
  kind: 'react',
  id: emoji,
  ...target,
  emoji,
  on,
})
const remove: MutationInput = { kind: 'delete', id: 'd', ...target }
const mutations = (...inputs: MutationInput[]) =>
  inputs.reduce<readonly Mutation[]>((all, input) => coalesceMutation(all, input, 1), [])
const shown = (...inputs: MutationInput[]) =>
  createOptimisticUpdates(mutations(...inputs), null).message(message)

describe('a message', () => {
  it('is itself while nothing waits', () => {
    expect(shown()).toBe(message)
    expect(createOptimisticUpdates(mutations(edit('better')), null).message(buildMessage(6))).toEqual(
      buildMessage(6),
    )
  })

  it('shows its last text, its reactions, or that it is deleted', () => {
    expect(shown(edit('better'))).toMatchObject({ body: 'better', edited_at: words.createdAt })
    const reactions = (...inputs: MutationInput[]) =>
      shown(...inputs).reactions.map((one: Reaction) => [one.emoji, one.count])
    expect(reactions(react('👍', false), react('🎉', true))).toEqual([
      ['👍', 1],
      ['🎉', 1],
    ])
    expect(shown(react('👍', true))).toBe(message)
    expect(shown(edit('better'), remove)).toMatchObject({ body: '', reactions: [] })
    expect(shown(remove).deleted_at).not.toBeNull()
  })

  it('does not blink: the row that shows it already is shown as it is', () => {
    const now = buildMessage(5, { body: 'better', edited_at: 'now', rev: 11 })
    expect(createOptimisticUpdates(mutations(edit('better')), null).message(now)).toBe(now)
    const deleted = buildMessage(5, { body: '', deleted_at: 'now', rev: 12 })
    expect(createOptimisticUpdates(mutations(remove), null).message(deleted)).toBe(deleted)
  })

  it('stays the same object while other mutations are added and removed', () => {
    const before = createOptimisticUpdates(mutations(edit('better')), null)
    const other: MutationInput = {
      kind: 'react',
      id: 'r',
      channel: LOBBY,
      message: 'other',
      emoji: '👍',
      on: true,
    }
    const after = createOptimisticUpdates(mutations(edit('better'), other), before)
    expect(after.message(message)).toBe(before.message(message))
  })

  it('that was refused is shown as it is', () => {
    const refused = mutations(edit('better')).map(
      (one) => Object.assign({}, one, { state: 'failed' }) as Mutation,
    )
    expect(createOptimisticUpdates(refused, null).message(message)).toBe(message)
  })
})

describe('a pointer', () => {
  const read = (seq: number): MutationInput => ({
    kind: 'read',
    id: `r${seq}`,
    channel: LOBBY,
    seq,
    from: 2,
    readVersion: 0,
  })
  const unread = (seq: number): MutationInput => ({ kind: 'unread', id: `u${seq}`, channel: LOBBY, seq })
  const pointer = (...inputs: MutationInput[]) =>
    createOptimisticUpdates(mutations(...inputs), null).readMarker(LOBBY, 5)

  it('is at the position of the last pending mutation', () => {
    expect(pointer()).toBe(5)
    expect(pointer(read(8))).toBe(8)
    expect(pointer(unread(3))).toBe(2)
    expect(pointer(unread(3), read(4))).toBe(4)
    expect(pointer(read(3))).toBe(5)
  })
})

describe('a thread state', () => {
  const thread = buildThread()
  const root = thread.root_id
  const place = (...inputs: MutationInput[]) =>
    createOptimisticUpdates(mutations(...inputs), null).thread(thread)

  it('is read, unread, followed or not, before the response', () => {
    expect(place()).toBe(thread)
    const read: MutationInput = {
      kind: 'readThread',
      id: 'r',
      channel: LOBBY,
      root,
      seq: 5,
      from: 3,
      readVersion: 0,
    }
    expect(place(read)).toMatchObject({ last_read_thread_seq: 5, counts: { unread: 0 } })
    const unread: MutationInput = { kind: 'unreadThread', id: 'u', channel: LOBBY, root, seq: 2 }
    expect(place(unread)).toMatchObject({ last_read_thread_seq: 1, counts: { unread: 4 }, follows: true })
    const leave: MutationInput = { kind: 'followThread', id: 'f', channel: LOBBY, root, on: false }
    expect(place(leave)).toMatchObject({ follows: false, counts: { unread: 0 } })
  })
})

describe('a draft', () => {
  const draft: MutationInput = {
    kind: 'draft',
    id: 'draft',
    channel: LOBBY,
    conversation: LOBBY,
    threadRoot: null,
    text: 'typed later',
    quote: null,
    from: '',
    base: ['sent'],
  }
  const send: MutationInput = {
    kind: 'send',
    id: 'm',
    channel: LOBBY,
    ...words,
    body: 'hi',
    drafts: ['sent'],
  }
  const row = { ...draft, id: LOBBY, channel_id: LOBBY, thread_root: null, body: 'hi', changed_at: '' }
  const rows = new Map([[LOBBY, { ...row, change_id: 'sent' }]])
  const shownDrafts = (pending: readonly Mutation[]) =>
    [...applyToRows('draft', rows, pending, undefined).values()].map(({ body }) => body)

  it('is not displayed once its message is in the outbox', () => {
    expect(shownDrafts([])).toEqual(['hi'])
    expect(shownDrafts(mutations(send))).toEqual([])
  })

  it('that was typed after a message stays when the files of this message are uploaded later', () => {
    expect(shownDrafts(mutations(send, draft))).toEqual(['typed later'])
    expect(shownDrafts(mutations(send, draft).toReversed())).toEqual(['typed later'])
  })
})
