import type { Message, Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import { deedOf, messageOf } from './mutation.ts'
import type { Deed, OutboxFile, OutboxItem, Wish } from './mutation.ts'

type Deeds = readonly Deed[]

/**
 * The deeds with one wish more: what it takes back, changes or overtakes gives way. Pure, so that all pages can
 * do it in turn on the shelf that they share. `now` is this device's clock in ms.
 */
export function foldDeed(deeds: Deeds, wish: Wish, now: number): Deeds {
  const before = deeds
  const append = (rest: Deeds): Deeds => [...rest, deedOf(wish, before, now)]
  switch (wish.kind) {
    case 'send':
    case 'followThread':
      return append(deeds.filter((one) => !(isSame(one, wish) && !one.tried)))
    case 'edit':
      return foldEdit(deeds, wish, append)
    case 'delete':
      return foldDelete(deeds, wish.message, append)
    case 'react':
      return foldReaction(deeds, wish, append)
    case 'read':
    case 'readThread':
      return foldRead(deeds, wish, append)
    case 'preferences':
    case 'section':
      return foldOwn(deeds, wish, append)
    case 'unread':
    case 'unreadThread':
      // What was read before it is moot; what is being asked is settled first.
      return append(deeds.filter((one) => one.tried || !isSamePlace(one, wish)))
  }
}

type Append = (rest: Deeds) => Deeds
type Wished<K extends Wish['kind']> = Extract<Wish, { kind: K }>

function isSame(one: Deed, wish: Wish): boolean {
  if (one.kind === 'followThread' && wish.kind === 'followThread') return one.root === wish.root
  return one.id === wish.id
}

function isSamePlace(one: Deed, wish: Wish): boolean {
  if (one.kind === 'read' || one.kind === 'unread') {
    return (wish.kind === 'read' || wish.kind === 'unread') && one.channel === wish.channel
  }
  if (one.kind === 'readThread' || one.kind === 'unreadThread') {
    return (wish.kind === 'readThread' || wish.kind === 'unreadThread') && one.root === wish.root
  }
  return false
}

/** Words that were not sent yet are changed in place; a change that was not asked yet gives way to the later. */
function foldEdit(deeds: Deeds, wish: Wished<'edit'>, append: Append): Deeds {
  const waiting = deeds.find((one) => one.kind === 'send' && one.id === wish.message)
  if (waiting && !waiting.tried) {
    return deeds.map((one) =>
      one === waiting ? { ...one, body: wish.body, state: 'pending', failure: null } : one,
    ) as Deeds
  }
  return append(deeds.filter((one) => one.kind !== 'edit' || one.message !== wish.message || one.tried))
}

/** A message that was not sent yet is not sent at all. */
function foldDelete(deeds: Deeds, message: Uuid, append: Append): Deeds {
  const waiting = deeds.find((one) => one.kind === 'send' && one.id === message)
  if (waiting && !waiting.tried) return without(deeds, message)
  if (deeds.some((one) => one.kind === 'delete' && one.message === message)) return deeds
  return append(deeds)
}

/** Put and taken away again before anyone was asked: nothing happened. */
function foldReaction(deeds: Deeds, wish: Wished<'react'>, append: Append): Deeds {
  const last = deeds.findLast(
    (one) => one.kind === 'react' && one.message === wish.message && one.emoji === wish.emoji,
  )
  if (last?.kind !== 'react') return append(deeds)
  if (last.on === wish.on) return deeds
  return last.tried ? append(deeds) : deeds.filter((one) => one !== last)
}

/** Only the newest of what was read in a place is kept, unless it was made unread in between. */
function foldRead(deeds: Deeds, wish: Wished<'read'> | Wished<'readThread'>, append: Append): Deeds {
  const last = deeds.findLast((one) => isSamePlace(one, wish))
  if (last?.kind !== 'read' && last?.kind !== 'readThread') return append(deeds)
  if (last.seq >= wish.seq) return deeds
  return deeds.map((one) =>
    one === last ? { ...last, seq: wish.seq, version: last.version + 1 } : one,
  ) as Deeds
}

/** Merges a change into an unsent one of the same row; a deletion is never merged. */
function foldOwn(deeds: Deeds, wish: Wished<'preferences'> | Wished<'section'>, append: Append): Deeds {
  const last = deeds.findLast((one) => {
    if (one.kind === 'section') return wish.kind === 'preferences' || one.section === wish.section
    return wish.kind === 'preferences' && one.kind === 'preferences' && one.channel === wish.channel
  })
  const isDeletion = (one: Wish | Deed) => one.kind === 'section' && one.change.gone === true
  if (!last || last.tried || last.kind !== wish.kind || isDeletion(last) || isDeletion(wish))
    return append(deeds)
  const change = { ...(last as typeof wish).change, ...wish.change }
  return deeds.map((one) => (one === last ? { ...one, change, version: one.version + 1 } : one)) as Deeds
}

/** Without a message that was never sent, and all that was to be done to it. */
function without(deeds: Deeds, message: Uuid): Deeds {
  return deeds.filter((one) => one.id !== message && messageOf(one) !== message)
}

/** A deletion that was not asked yet is called off; one that was asked can't be. */
export function undoneDelete(deeds: Deeds, message: Uuid): Deeds {
  return deeds.filter((one) => one.kind !== 'delete' || one.message !== message || one.tried)
}

/** It is asked from now on: whatever comes later can't undo it in silence. */
export function beginDeed(deeds: Deeds, id: Uuid): Deeds {
  return deeds.map((one) => (one.id === id && !one.tried ? { ...one, tried: true } : one))
}

/** What was asked, as it was asked, is done. */
export function doneDeed(deeds: Deeds, asked: Deed): Deeds {
  return deeds.filter((one) => one.id !== asked.id || one.version !== asked.version)
}

/**
 * What was asked will never be taken. Words are kept with the reason, as the last change left them; deeds
 * without words fall away, and so does all that was to be done to a message that never came to be.
 */
export function refusedDeed(deeds: Deeds, asked: Deed, failure: Failure): Deeds {
  const refused = deeds.find((one) => one.id === asked.id)
  if (!refused || refused.version !== asked.version) return deeds
  if (refused.kind === 'edit') return kept(deeds, refused, refused.body, failure)
  if (refused.kind !== 'send') return deeds.filter((one) => one !== refused)
  if (deeds.some((one) => one.kind === 'delete' && one.message === refused.id)) {
    return without(deeds, refused.id)
  }
  const edit = deeds.findLast((one) => one.kind === 'edit' && one.message === refused.id)
  const left = deeds.filter((one) => messageOf(one) !== refused.id)
  return kept(left, refused, edit?.kind === 'edit' ? edit.body : refused.body, failure)
}

function kept(deeds: Deeds, refused: OutboxItem, body: string, failure: Failure): Deeds {
  return deeds.map((one) =>
    one === refused ? { ...refused, body, tried: false, state: 'failed' as const, failure } : one,
  )
}

/** Refusals of a message whose files lay at the server too long without it, and were swept. */
const FILES_LOST = new Set(['bad_attachment', 'attachments_missing'])

/** Words that were refused are asked again, as they are, and so are their files. */
export function retriedDeed(deeds: Deeds, id: Uuid): Deeds {
  return deeds.map((one) => {
    if (one.id !== id || one.state !== 'failed') return one
    const again = { ...one, state: 'pending' as const, failure: null, version: one.version + 1 }
    if (again.kind !== 'send') return again
    const lost = FILES_LOST.has(one.failure?.name ?? '')
    return { ...again, files: again.files.map((file) => retriedFile(file, lost)) }
  })
}

/** The file as it is tried once more; from its start where the server has lost it. */
export function retriedFile(file: OutboxFile, lost: boolean): OutboxFile {
  const again = { ...file, paused: false, failure: null }
  return lost ? { ...again, uploaded: false, url: null, sent: 0 } : again
}

/**
 * Without one deed. A message that may have reached the server is deleted there too, since its words are given
 * back to their author: `deletion` names that deed.
 */
export function discardedDeed(deeds: Deeds, id: Uuid, deletion: Uuid, now: number): Deeds {
  const found = deeds.find((one) => one.id === id)
  if (found?.kind !== 'send') return deeds.filter((one) => one !== found)
  const left = without(deeds, id)
  if (!found.tried) return left
  const wish: Wish = { kind: 'delete', id: deletion, channel: found.channel, message: id }
  return [...left, deedOf(wish, deeds, now)]
}

/**
 * With a message sent once more that the home had accepted and has forgotten, unless its author took it back. The bytes
 * of its files are there, or were forgotten as well, and then it is refused.
 */
export function resentDeed(deeds: Deeds, message: Message, now: number): Deeds {
  const { id, channel_id: channel, thread_root: threadRoot, body, created_at: createdAt } = message
  const known = deeds.some((one) => one.id === id || (one.kind === 'delete' && one.message === id))
  if (known || message.deleted_at !== null) return deeds
  const files = message.attachments.map((file) => {
    const bytes = new Blob([])
    return Object.assign({}, file, { blob: bytes, thumb: file.thumb ? bytes : null, uploaded: true })
  })
  const alsoToChannel = threadRoot !== null && message.seq !== null
  const wish: Wish = { kind: 'send', id, channel, threadRoot, alsoToChannel, body, files, createdAt }
  return [...deeds, deedOf(wish, deeds, now)]
}

/**
 * Without words that were refused and whose row has come all the same, by a try that was long under way. If they were
 * changed since that try, `edit` names the change of the row.
 */
export function arrivedDeed(deeds: Deeds, row: Message, edit: Uuid, now: number): Deeds {
  const refused = deeds.find((one) => one.id === row.id && one.state === 'failed')
  if (refused?.kind !== 'send') return deeds
  const left = deeds.filter((one) => one !== refused)
  const { channel, threadRoot, alsoToChannel, body, createdAt } = refused
  if (row.deleted_at !== null || row.body === body) return left
  const words = { channel, threadRoot, alsoToChannel, body, files: [], createdAt }
  return [...left, deedOf({ kind: 'edit', id: edit, message: row.id, ...words }, deeds, now)]
}
