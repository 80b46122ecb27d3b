import { flushDrafts } from '../persistence/drafts.ts'
import { getClientSession } from '../session/clientSession.ts'

export interface UnsentCount {
  /** Messages and changes of messages that the server has not taken. */
  messages: number
  /** Places with words that were typed and not sent. */
  drafts: number
}

/** What is on this device alone, and would go with signing out. */
export async function countUnsent(): Promise<UnsentCount> {
  const now = getClientSession()
  if (!now) return { messages: 0, drafts: 0 }
  await flushDrafts()
  const drafts = await now.device.then((device) => device.countDrafts()).catch(() => 0)
  const unsent = now.outbox.mutations().filter(({ kind }) => kind === 'send' || kind === 'edit')
  return { messages: unsent.length, drafts }
}
