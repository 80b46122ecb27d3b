import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { getClient } from '../client/getClient.ts'
import { failureFrom, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'

/** Earlier texts that are listed. */
const MAX_VERSIONS = 100

export interface MessageVersion {
  rev: number
  body: string
  written_at: Timestamp
}

/** Earlier texts of an own message, latest first: the policy shows them to its author only. */
export async function messageVersions(id: Uuid): Promise<Outcome<MessageVersion[]>> {
  try {
    const client = await getClient()
    const { data, error, status } = await client
      .from('message_revisions')
      .select('rev,body,written_at')
      .eq('message_id', id)
      .order('rev', { ascending: false })
      .limit(MAX_VERSIONS)
      .overrideTypes<MessageVersion[], { merge: false }>()
    if (error) return { ok: false, failure: failureFrom(error, status) }
    return success(data)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
