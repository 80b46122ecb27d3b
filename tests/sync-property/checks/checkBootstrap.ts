import type { Caller } from '../../../wire/claims.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { TestDatabase } from '../database/testDatabase.ts'
import { createReporter } from './compareTab.ts'
import type { ExpectedView } from './expectedView.ts'

/** How the result of `bootstrap` differs from what is expected: the server's own results are checked too. */
export async function checkBootstrap(
  database: TestDatabase,
  label: string,
  caller: Caller,
  expected: ExpectedView,
): Promise<string[]> {
  const found: string[] = []
  const report = createReporter(found, `bootstrap of ${label}`)
  const answer = await database.runCommand(caller, 'bootstrap', {})
  if (!answer.ok) return [`bootstrap of ${label}: refused with ${answer.failure.name}`]
  const fresh = answer.value
  const byId = <T>(rows: readonly T[], id: (row: T) => string) =>
    Object.fromEntries(rows.map((row) => [id(row), row]))
  report('me', fresh.me && { profile: fresh.me.profile, role: fresh.me.role }, expected.me)
  report(
    'members',
    byId(fresh.members, (one) => one.profile.id),
    byId(expected.members, (one) => one.profile.id),
  )
  report(
    'channels',
    byId(fresh.channels, (one) => one.channel.id),
    byId(expected.entries, (one) => one.channel.id),
  )
  report('sections', fresh.sections, expected.sections)
  report(
    'saved',
    byId(fresh.own.saved ?? [], (one) => one.id),
    expected.saved,
  )
  report(
    'responses',
    byId(fresh.own.responses ?? [], (one) => one.id),
    expected.responses,
  )
  report(
    'searches',
    byId(fresh.own.searches ?? [], (one) => one.id),
    expected.searches,
  )
  report(
    'scheduled',
    byId(fresh.own.scheduled ?? [], (one) => one.id),
    expected.scheduled,
  )
  report(
    'reminders',
    byId(fresh.own.reminders ?? [], (one) => one.id),
    expected.reminders,
  )
  report(
    'drafts',
    byId(fresh.own.drafts ?? [], (one) => one.id),
    expected.drafts,
  )
  // Deleted messages after the read marker do not count as unread.
  const unread = fresh.threads.filter((one) => one.counts.unread > 0)
  report('threads', unread.map(withoutRev), expected.unreadThreads)
  return found
}

/** Without the revision that the state belongs to. */
function withoutRev({ rev: _rev, ...one }: ThreadState): Omit<ThreadState, 'rev'> {
  return one
}
