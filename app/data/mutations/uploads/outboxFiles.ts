import type { Uuid } from '../../../../wire/scalars.ts'
import { filesOf, nextOrder, replaceMutation, toPending } from '../mutation.ts'
import type { MutationOf, Mutations, OutboxFile } from '../mutation.ts'
import { resetFile } from '../kinds/sendKind.ts'

/** The pending or rejected message with this file. */
export function messageWithFile(mutations: Mutations, file: Uuid): MutationOf<'send'> | undefined {
  return mutations.find((one): one is MutationOf<'send'> => filesOf(one).some((each) => each.id === file))
}

/** Changes a file; does nothing if it was removed from its message. */
export function updateFile(
  mutations: Mutations,
  file: Uuid,
  change: Partial<Pick<OutboxFile, 'url' | 'sent' | 'paused' | 'failure'>>,
): Mutations {
  return withFiles(mutations, file, (files) =>
    files.map((each) => (each.id === file ? Object.assign({}, each, change) : each)),
  )
}

/** Marks a file as uploaded. With the last file, its message is ordered after all others. */
export function markUploaded(mutations: Mutations, file: Uuid): Mutations {
  return withFiles(mutations, file, (files) =>
    files.map((each) =>
      each.id === file ? Object.assign({}, each, { uploaded: true, url: null, failure: null }) : each,
    ),
  )
}

/** Resumes the upload of a paused or rejected file. */
export function resumeFile(mutations: Mutations, file: Uuid): Mutations {
  const resumed = withFiles(mutations, file, (files) =>
    files.map((each) => (each.id === file ? resetFile(each, false) : each)),
  )
  const message = messageWithFile(resumed, file)
  return message?.state === 'failed' ? replaceMutation(resumed, message, toPending(message)) : resumed
}

/** Removes a file. The caller checks before whether its message then is empty. */
export function removeFile(mutations: Mutations, file: Uuid): Mutations {
  const message = messageWithFile(mutations, file)
  if (!message || message.maybeSent) return mutations
  const dropped = message.files.find((each) => each.id === file)
  const left = withFiles(mutations, file, (files) => files.filter((each) => each.id !== file))
  const now = left.find((one): one is MutationOf<'send'> => one.kind === 'send' && one.id === message.id)
  // The message was rejected because of this file.
  return now?.state === 'failed' && dropped?.failure ? replaceMutation(left, now, toPending(now)) : left
}

function withFiles(
  mutations: Mutations,
  file: Uuid,
  change: (files: readonly OutboxFile[]) => OutboxFile[],
): Mutations {
  const message = messageWithFile(mutations, file)
  if (!message) return mutations
  const files = change(message.files)
  const arrived = !isComplete(message.files) && isComplete(files)
  const order = arrived ? nextOrder(mutations, message.order) : message.order
  return replaceMutation(mutations, message, { ...message, files, order })
}

function isComplete(files: readonly OutboxFile[]): boolean {
  return files.every((each) => each.uploaded)
}
