import type { Account } from '../../../data/session/account.ts'
import { endedSession } from '../../../data/session/endedAccess.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { explainEndedSession } from '../explainEndedAccess.ts'

/** The reason and the time of the end of the session that this page had. */
export function EndedSessionNote({ ended }: { ended: NonNullable<Account['ended']> }) {
  const { sessionId, noticedAt } = ended
  return (
    <p role="status">
      {sessionId ? (
        <Explained sessionId={sessionId} noticedAt={noticedAt} />
      ) : (
        explainEndedSession(null, noticedAt)
      )}
    </p>
  )
}

function Explained({ sessionId, noticedAt }: { sessionId: string; noticedAt: string }) {
  const { value, failure } = useQuery(endedSession, [sessionId])
  if (value === undefined && !failure) return null
  return explainEndedSession(value ?? null, noticedAt)
}
