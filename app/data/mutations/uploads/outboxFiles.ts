import type { Uuid } from '../../../../wire/linnet.ts'
import { topOrder } from '../mutation.ts'
import type { Deed, OutboxFile, SendDeed } from '../mutation.ts'
import { retriedFile } from '../coalesceMutation.ts'

type Deeds = readonly Deed[]

/** The message that carries the file, or undefined. */
export function carrierOf(deeds: Deeds, file: Uuid): SendDeed | undefined {
  return deeds.find(
    (one): one is SendDeed => one.kind === 'send' && one.files.some((each) => each.id === file),
  )
}

/** With something else known of one file; nothing where it has been taken out. */
export function changedFile(
  deeds: Deeds,
  file: Uuid,
  change: Partial<Pick<OutboxFile, 'url' | 'sent' | 'paused' | 'failure'>>,
): Deeds {
  return withFiles(deeds, file, (files) =>
    files.map((each) => (each.id === file ? Object.assign({}, each, change) : each)),
  )
}

/** The bytes of one file are there. With the last of them its message takes its place behind all other words. */
export function uploadedFile(deeds: Deeds, file: Uuid): Deeds {
  return withFiles(deeds, file, (files) =>
    files.map((each) =>
      each.id === file ? Object.assign({}, each, { uploaded: true, url: null, failure: null }) : each,
    ),
  )
}

/** A file that its author stopped, or the server refused, is to go on. */
export function resumedFile(deeds: Deeds, file: Uuid): Deeds {
  const asked = withFiles(deeds, file, (files) =>
    files.map((each) => (each.id === file ? retriedFile(each, false) : each)),
  )
  const carrier = carrierOf(asked, file)
  return carrier?.state === 'failed' ? replaced(asked, carrier, pendingAgain(carrier)) : asked
}

/** Without a file. Whether its message then has anything left to say is for the caller to ask before. */
export function withoutFile(deeds: Deeds, file: Uuid): Deeds {
  const carrier = carrierOf(deeds, file)
  if (!carrier || carrier.tried) return deeds
  const dropped = carrier.files.find((each) => each.id === file)
  const left = withFiles(deeds, file, (files) => files.filter((each) => each.id !== file))
  const now = left.find((one): one is SendDeed => one.kind === 'send' && one.id === carrier.id)
  // The message was refused for this file's sake alone.
  return now?.state === 'failed' && dropped?.failure ? replaced(left, now, pendingAgain(now)) : left
}

function pendingAgain(deed: SendDeed): SendDeed {
  return { ...deed, state: 'pending', failure: null, version: deed.version + 1 }
}

function replaced(deeds: Deeds, one: Deed, by: Deed): Deeds {
  return deeds.map((each) => (each === one ? by : each))
}

function withFiles(deeds: Deeds, file: Uuid, how: (files: readonly OutboxFile[]) => OutboxFile[]): Deeds {
  const carrier = carrierOf(deeds, file)
  if (!carrier) return deeds
  const files = how(carrier.files)
  const arrived = !isComplete(carrier.files) && isComplete(files)
  const order = arrived ? topOrder(deeds, carrier.order) : carrier.order
  return replaced(deeds, carrier, { ...carrier, files, order })
}

function isComplete(files: readonly OutboxFile[]): boolean {
  return files.every((each) => each.uploaded)
}
