import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { createQuery } from '../queries/createQuery.ts'

/** Earlier texts that are listed. */
const MAX_VERSIONS = 100

interface MessageVersion {
  rev: number
  body: string
  written_at: Timestamp
}

/** Earlier texts of an own message, latest first: the policy shows them to its author only. */
export const messageVersions = createQuery({
  fetch: (id: Uuid) =>
    runQuery<MessageVersion[]>((client) =>
      client
        .from('message_revisions')
        .select('rev,body,written_at')
        .eq('message_id', id)
        .order('rev', { ascending: false })
        .limit(MAX_VERSIONS)
        .overrideTypes<MessageVersion[], { merge: false }>(),
    ),
})
