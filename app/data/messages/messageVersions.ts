import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import type { Outcome } from '../failures/failures.ts'

/** Earlier texts that are listed. */
const MAX_VERSIONS = 100

export interface MessageVersion {
  rev: number
  body: string
  written_at: Timestamp
}

/** Earlier texts of an own message, latest first: the policy shows them to its author only. */
export function messageVersions(id: Uuid): Promise<Outcome<MessageVersion[]>> {
  return runQuery((client) =>
    client
      .from('message_revisions')
      .select('rev,body,written_at')
      .eq('message_id', id)
      .order('rev', { ascending: false })
      .limit(MAX_VERSIONS)
      .overrideTypes<MessageVersion[], { merge: false }>(),
  )
}
