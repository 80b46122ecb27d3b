import { describe, expect, it } from 'vitest'
import type { Draft } from '../../../wire/messages.ts'
import type { Failure } from '../failures/failures.ts'
import type { Mutation, MutationInput } from './mutation.ts'
import {
  markTried,
  discardMutation,
  removeDone,
  coalesceMutation,
  markRejected,
  resetForRetry,
} from './coalesceMutation.ts'
import { cancelDelete } from './kinds/deleteKind.ts'
import { changesToSend } from './kinds/draftKind.ts'
import { joinDrafts } from './saveDraft.ts'

const never: Failure = { name: 'archived', message: '', isRetryable: false }
const words = { threadRoot: null, alsoToChannel: false, files: [], createdAt: '' }
const send = (id: string, body = id): MutationInput => ({ kind: 'send', id, channel: 'c', ...words, body })
const edit = (id: string, message: string, body = id): MutationInput => ({
  kind: 'edit',
  id,
  channel: 'c',
  message,
  ...words,
  body,
})
const remove = (id: string, message: string): MutationInput => ({ kind: 'delete', id, channel: 'c', message })
const react = (id: string, on: boolean, emoji = '👍'): MutationInput => ({
  kind: 'react',
  id,
  channel: 'c',
  message: 'm',
  emoji,
  on,
})
const read = (seq: number): MutationInput => ({
  kind: 'read',
  id: `r${seq}`,
  channel: 'c',
  seq,
  from: 1,
  readVersion: 0,
})
const unread = (seq: number): MutationInput => ({ kind: 'unread', id: `u${seq}`, channel: 'c', seq })
const all = (...inputs: MutationInput[]) =>
  inputs.reduce<readonly Mutation[]>((mutations, input) => coalesceMutation(mutations, input, 1), [])
const more = (mutations: readonly Mutation[], input: MutationInput) => coalesceMutation(mutations, input, 1)
const shown = (mutations: readonly Mutation[]) =>
  mutations.map(
    (one) => `${one.kind} ${one.id}${'body' in one ? ` ${one.body}` : ''}${'seq' in one ? one.seq : ''}`,
  )

describe('a message that was not sent yet', () => {
  it('are changed where they wait, and not sent when deleted', () => {
    expect(shown(all(send('m'), edit('e', 'm', 'better')))).toEqual(['send m better'])
    expect(all(send('m'), remove('d', 'm'))).toEqual([])
  })

  it('is followed by later mutations once it may have been sent', () => {
    const tried = markTried(all(send('m')), 'm')
    expect(shown(more(tried, edit('e', 'm', 'better')))).toEqual(['send m m', 'edit e better'])
    expect(shown(more(tried, remove('d', 'm')))).toEqual(['send m m', 'delete d'])
  })

  it('that are given back are deleted there too, if they may have arrived', () => {
    expect(discardMutation(all(send('m')), 'm', 'd', 1)).toEqual([])
    const tried = more(markTried(all(send('m')), 'm'), edit('e', 'm'))
    expect(shown(discardMutation(tried, 'm', 'd', 1))).toEqual(['delete d'])
  })
})

describe('a change', () => {
  it('is replaced by a later edit, unless it may have been sent', () => {
    expect(shown(all(edit('e', 'm'), edit('f', 'm')))).toEqual(['edit f f'])
    const tried = markTried(all(edit('e', 'm')), 'e')
    expect(shown(more(tried, edit('f', 'm')))).toEqual(['edit e e', 'edit f f'])
  })
})

describe('a reaction', () => {
  it('that is added and removed again needs no request, unless it may have been sent', () => {
    expect(all(react('a', true), react('b', false))).toEqual([])
    expect(shown(all(react('a', true), react('b', true), react('c', false, '🎉')))).toEqual([
      'react a',
      'react c',
    ])
    const tried = markTried(all(react('a', true)), 'a')
    expect(shown(more(tried, react('b', false)))).toEqual(['react a', 'react b'])
    expect(shown(more(more(tried, react('b', false)), react('c', true)))).toEqual(['react a'])
  })
})

describe('a pointer', () => {
  it('replaces an earlier read marker, unless messages were marked unread in between', () => {
    expect(shown(all(read(3), read(5), read(4)))).toEqual(['read r35'])
    expect(shown(all(read(5), unread(2)))).toEqual(['unread u22'])
    expect(shown(all(unread(2), read(4), read(6)))).toEqual(['unread u22', 'read r46'])
  })

  it('that moved during its request is sent again', () => {
    const [tried] = all(read(3))
    const moved = more([tried as Mutation], read(5))
    expect(removeDone(moved, tried as Mutation)).toHaveLength(1)
    expect(removeDone(moved, moved[0] as Mutation)).toEqual([])
  })
})

describe('a deletion', () => {
  it('is sent once, and can be canceled before', () => {
    const mutations = all(remove('d', 'm'), remove('again', 'm'))
    expect(shown(mutations)).toEqual(['delete d'])
    expect(cancelDelete(mutations, 'm')).toEqual([])
    expect(cancelDelete(markTried(mutations, 'd'), 'm')).toHaveLength(1)
  })
})

describe('what is refused', () => {
  it('stays with its failure if it has text, and is sent unchanged by a retry', () => {
    const mutations = all(send('m'), send('n'))
    const refused = markRejected(markTried(mutations, 'm'), mutations[0] as Mutation, never)
    expect(refused[0]).toMatchObject({ state: 'failed', failure: never, maybeSent: false })
    expect(refused[1]).toMatchObject({ state: 'pending' })
    expect(resetForRetry(refused, 'm')[0]).toMatchObject({ state: 'pending', failure: null })
    expect(shown(more(refused, edit('e', 'm', 'shorter')))).toEqual(['send m shorter', 'send n n'])
    expect(more(refused, edit('e', 'm', 'shorter'))[0]).toMatchObject({ state: 'pending' })
  })

  it('is sent by a retry to a channel that is on the web only after its author has read that', () => {
    const first = all({ ...send('m'), onWeb: false } as MutationInput)
    const refuse = (name: string) => markRejected(first, first[0] as Mutation, { ...never, name })
    expect(resetForRetry(refuse('archived'), 'm')[0]).toMatchObject({ onWeb: false })
    expect(resetForRetry(refuse('channel_on_web'), 'm')[0]).toMatchObject({ onWeb: true })
  })

  it('is merged with its pending edits, and removed by a pending deletion', () => {
    const first = all(send('m'))
    const tried = markTried(first, 'm')
    const changed = more(more(tried, edit('e', 'm', 'better')), react('a', true))
    expect(shown(markRejected(changed, first[0] as Mutation, never))).toEqual(['send m better'])
    const deleted = more(tried, remove('d', 'm'))
    expect(markRejected(deleted, first[0] as Mutation, never)).toEqual([])
  })

  it('is deleted when it is discarded, if the response to an earlier attempt was lost', () => {
    const tried = markTried(all(send('m')), 'm')
    const refused = markRejected(tried, tried[0] as Mutation, never)
    expect(refused[0]).toMatchObject({ state: 'failed', maybeSent: true })
    expect(shown(discardMutation(refused, 'm', 'd', 5))).toEqual(['delete d'])
    expect(shown(more(refused, remove('d', 'm')))).toEqual(['delete d'])
    expect(shown(markRejected(more(tried, remove('d', 'm')), tried[0] as Mutation, never))).toEqual([
      'delete d',
    ])
    const edited = more(refused, edit('e', 'm', 'shorter'))
    expect(shown(edited)).toEqual(['send m m', 'edit e shorter'])
    expect(edited[0]).toMatchObject({ state: 'pending', failure: null })
  })

  it('is removed if it has no text', () => {
    const mutations = all(react('a', true))
    expect(markRejected(mutations, mutations[0] as Mutation, never)).toEqual([])
  })
})

it('orders later mutations after earlier ones even if the clock goes back', () => {
  const mutations = [500, 400].reduce<readonly Mutation[]>(
    (kept, now) => coalesceMutation(kept, send(`at ${now}`), now),
    [],
  )
  expect(mutations.map((one) => one.order)).toEqual([500, 501])
})

describe('preferences and sections', () => {
  const set = (id: string, channel: string, change: object): MutationInput => ({
    kind: 'preferences',
    id,
    channel,
    change,
  })
  const section = (id: string, change: object): MutationInput => ({
    kind: 'section',
    id,
    channel: '',
    workspace: 'w',
    section: 's',
    change,
  })
  const changes = (mutations: readonly Mutation[]) =>
    mutations.map((one) => ('change' in one ? [one.id, one.change] : []))

  it('that were not sent yet become one change of each row', () => {
    const muted = all(set('a', 'c', { muted: true }), set('b', 'd', { starred: true }))
    const both = [set('e', 'c', { muted: false }), set('f', 'c', { starred: true })].reduce(more, muted)
    expect(changes(both)).toEqual([
      ['a', { muted: false, starred: true }],
      ['b', { starred: true }],
    ])
    expect(changes(more(markTried(both, 'a'), set('g', 'c', { muted: true })))).toHaveLength(3)
  })

  it('for notifications become one change of each workspace', () => {
    const notify = (id: string, workspace: string, change: object): MutationInput => ({
      kind: 'notificationPreferences',
      id,
      channel: '',
      workspace,
      change,
    })
    const changed = all(notify('a', 'w', { level: 'all' }), notify('b', 'v', { mail: false }))
    const both = [notify('c', 'w', { mail: false }), notify('d', 'w', { level: 'nothing' })].reduce(
      more,
      changed,
    )
    expect(changes(both)).toEqual([
      ['a', { level: 'nothing', mail: false }],
      ['b', { mail: false }],
    ])
    expect(changes(more(markTried(both, 'a'), notify('e', 'w', { mail: true })))).toHaveLength(3)
  })

  it('are sent after the section that they need, and before its deletion', () => {
    const moved = all(
      set('a', 'c', { muted: true }),
      section('b', { name: 'Care', position: 1, collapsed: false }),
      set('d', 'c', { section_id: 's' }),
      section('e', { collapsed: true }),
      section('f', { deleted: true }),
      section('g', { name: 'late' }),
    )
    expect(changes(moved)).toEqual([
      ['a', { muted: true }],
      ['b', { name: 'Care', position: 1, collapsed: true }],
      ['d', { section_id: 's' }],
      ['f', { deleted: true }],
      ['g', { name: 'late' }],
    ])
  })
})

describe('a draft', () => {
  const fields = { channel: 'c', conversation: 'c', threadRoot: null, quote: null }
  const draft = (id: string, text: string, base: string[] = [], from = ''): MutationInput => ({
    kind: 'draft',
    id,
    text,
    from,
    base,
    ...fields,
  })
  const sendDraft = (id: string, drafts: string[]): MutationInput =>
    ({ ...send(id), drafts, channel: 'c' }) as MutationInput
  const texts = (mutations: readonly Mutation[]) =>
    mutations.map((one) =>
      one.kind === 'draft' ? `${one.text} after ${one.base.join()}` : `${one.kind} ${one.id}`,
    )
  const theirs = {
    id: 'c',
    channel_id: 'c',
    thread_root: null,
    body: 'theirs',
    quote: null,
    rev: 9,
    change_id: 't',
    changed_at: '',
  }

  it('is changed in place until it may have been sent, and names what it replaces', () => {
    expect(texts(all(draft('a', 'h', ['x']), draft('b', 'hi', ['y'])))).toEqual(['hi after x'])
    const tried = markTried(all(draft('a', 'h', ['x'])), 'a')
    expect(texts(more(tried, draft('b', 'hi', ['y'])))).toEqual(['h after x', 'hi after x,a'])
  })

  it('that was never saved and is empty again needs no request', () => {
    expect(all(draft('a', 'h'), draft('b', ''))).toEqual([])
    expect(texts(all(draft('a', 'h', ['x']), draft('b', '')))).toEqual([' after x'])
  })

  it('is replaced by its message, which names the saves that may reach the server after it', () => {
    const drafts = (mutations: readonly Mutation[]) =>
      mutations.map((one) => one.kind === 'send' && one.drafts?.join())
    const sent = (mutations: readonly Mutation[], row?: Draft) =>
      drafts(more(mutations, sendDraft('m', changesToSend(mutations, row, 'c'))))
    expect(sent([])).toEqual([''])
    expect(sent([], theirs)).toEqual(['t'])
    expect(sent([], { ...theirs, body: '' })).toEqual([''])
    // What another device has written since is no part of the message.
    expect(sent(all(draft('a', 'h', ['w'])), theirs)).toEqual(['w,a'])
    // The save of `a` has no response yet.
    const tried = markTried(all(draft('a', 'h', ['w'])), 'a')
    expect(sent(tried)).toEqual(['w,a'])
    expect(sent(more(tried, draft('b', 'hi', ['w'])))).toEqual(['w,a,b'])
    // It ends while the device stores the message.
    const message = sendDraft('m', changesToSend(tried, undefined, 'c'))
    expect(drafts(more([], message))).toEqual(['w,a'])
    // What was typed last becomes a change while the device stores the message.
    expect(drafts(more(more(tried, draft('b', 'hi', ['w'])), message))).toEqual(['w,a'])
    expect(drafts(all(draft('b', 'hi', ['a']), message))).toEqual(['w,a'])
  })

  it('that follows a pending message replaces what that empties', () => {
    expect(texts(all(sendDraft('m', ['x']), draft('b', 'next', ['x'])))).toEqual([
      'send m',
      'next after x,x,m',
    ])
  })

  it('is emptied when its message is discarded or deleted before it was sent', () => {
    const sent = all(sendDraft('m', ['x']))
    expect(texts(discardMutation(sent, 'm', 'd', 1))).toEqual([' after x'])
    expect(texts(more(sent, remove('d', 'm')))).toEqual([' after x'])
    expect(texts(discardMutation(more(sent, draft('b', 'next', ['x'])), 'm', 'd', 1))).toEqual([
      'next after x,x,m',
    ])
  })

  it('that is refused stays on this device', () => {
    const refused = all(draft('a', 'h'))
    expect(markRejected(refused, refused[0] as Mutation, never)).toMatchObject([
      { text: 'h', state: 'failed' },
    ])
    expect(more(markRejected(refused, refused[0] as Mutation, never), draft('b', 'hi'))).toMatchObject([
      { text: 'hi', state: 'pending', failure: null },
    ])
  })

  it('is joined with what another device has saved meanwhile, and never loses what was typed here', () => {
    const joined = (text: string, from: string) =>
      texts(joinDrafts(all(draft('a', text, ['x'], from)), 'c', theirs))
    expect(joined('mine', '')).toEqual(['theirs\nmine after t'])
    expect(joined('theirs and mine', '')).toEqual(['theirs and mine after t'])
    expect(joined('them', 'the')).toEqual(['themirs after t'])
    expect(joined('', 'before')).toEqual([])
    const sent = { ...theirs, body: '' }
    expect(texts(joinDrafts(all(draft('a', 'typed later', ['x'], 'typed')), 'c', sent))).toEqual([
      'typed later after t',
    ])
    const twice = more(markTried(all(draft('a', 'h', ['x'])), 'a'), draft('b', 'hi', []))
    expect(texts(joinDrafts(twice, 'c', theirs))).toEqual(['theirs\nhi after t'])
  })
})
