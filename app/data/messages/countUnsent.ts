import { flushDrafts } from '../persistence/draftWrites.ts'
import { getClientSession } from '../session/clientSession.ts'

export interface UnsentCount {
  /** Messages and edits that the server has not accepted. */
  messages: number
  /** Channels and threads whose draft the server does not have, and edits with a draft. */
  drafts: number
}

/** Counts what is stored only on this device, and would be deleted by signing out. */
export async function countUnsent(): Promise<UnsentCount> {
  const session = getClientSession()
  if (!session) return { messages: 0, drafts: 0 }
  await flushDrafts()
  const edits = await session.device.then((device) => device.countDrafts()).catch(() => 0)
  const stored = session.outbox.storedMutations()
  const pending = stored.filter((one) => one.kind === 'draft' && one.text !== '')
  const unsent = stored.filter(({ kind }) => kind === 'send' || kind === 'edit')
  return { messages: unsent.length, drafts: edits + pending.length }
}
